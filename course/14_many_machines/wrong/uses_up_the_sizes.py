"""Takes the sizes out of the dict that it was given.

zh: 把大小从交给它的字典里取走了。
task: shard
says: changed_input
"""


def shard(sizes, servers):
    homes, loads = {}, [0] * servers
    while sizes:
        name = max(sizes, key=sizes.get)
        homes[name] = loads.index(min(loads))
        loads[homes[name]] += sizes.pop(name)
    return homes
