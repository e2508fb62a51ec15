"""What every stack is made with: its class, names, tags, accepted findings of linters."""
