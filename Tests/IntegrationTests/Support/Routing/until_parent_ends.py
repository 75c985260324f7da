#!/usr/bin/env python3
"""Runs a program for as long as the process that asked for it lives: until_parent_ends.py PROGRAM ARGUMENT..."""

import os, subprocess, sys, time

parent = os.getppid()
child = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL)
while os.getppid() == parent and child.poll() is None:
    time.sleep(0.2)
child.kill()
child.wait()
