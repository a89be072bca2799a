"""`python -m langchain_layered_memory.cli`, for where scripts are not on the path."""

from langchain_layered_memory.cli import main

if __name__ == "__main__":
    main()
