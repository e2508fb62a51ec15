"""What builds and checks this repository; nothing here is installed with the package."""
