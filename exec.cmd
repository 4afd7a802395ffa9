@rem The scripts of package.json begin with "exec", so that signals reach the program and not only the shell. The shell of
@rem Windows has no such command, and finds this file.
@%*
