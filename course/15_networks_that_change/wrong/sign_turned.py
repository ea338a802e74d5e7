"""Has the sign turned around.

zh: 符号反了。
task: policy_loss
says: sign
"""

INSTEAD = {"rarity * better": "-1.0 * rarity * better"}
