"""libclang's trees: how they are made, and questions about them."""
