"""The body does not return the state.

zh: 循环体没有交回状态。
task: convert_while
says: no_state
"""

INSTEAD = {
    """{block(node.body)}
    return {state}
""": """{block(node.body)}
""",
}
