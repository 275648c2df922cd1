"""All compiled code. Arrays and scalars in, arrays and scalars out; imports nothing of nacre."""
