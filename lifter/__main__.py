"""`python -m lifter` is `lift`."""

from lifter.main import main

if __name__ == "__main__":
    main()
