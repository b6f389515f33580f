"""What a schedule comes to, Func by Func, estimated and measured."""
