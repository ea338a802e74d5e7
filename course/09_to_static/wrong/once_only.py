"""Runs the body once.

zh: 循环体只运行一次。
task: convert_while
says: another
"""


def convert_while(node, block):
    state = listed(assigned(node.body))
    return f"""
def body({state}):
{block(node.body)}
    return {state}
turns = []
def condition({state}):
    turns.append(1)
    return len(turns) < 2 and {ast.unparse(node.test)}
{state} = repeated(condition, body, ({state}))
"""
