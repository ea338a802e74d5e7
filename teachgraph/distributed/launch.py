"""`python -m teachgraph.distributed.launch`: Paddle's way to start a script."""

from teachgraph.cli.paddle_launch import launch

if __name__ == "__main__":
    launch()
