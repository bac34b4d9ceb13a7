"""Turns the Python source of a NumPy Gymnasium environment into a kernel for CPU and GPU. README.md here is the guide."""
