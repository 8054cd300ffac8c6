"""OpenProse runs that keep a log instead of a database (the default backend).

lines · header          what one line says
events                  bytes of the log → marker lines, with where they stand
state · statements · parallels · loops · blocks · fold      marker lines → steps
folder · bindings · values · ledger · models · agents · records     what lies beside the log
summary · view · findings · run_reader · store_reader       what is handed out
reactor                 the same for a reactor's state folder
"""
