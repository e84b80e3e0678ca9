"""The command line."""

from ir_measures_relative._cli.command_line import main
