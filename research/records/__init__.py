"""The recipe of the record reader: cases from written records, training and figures."""
