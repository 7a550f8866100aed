"""Paper 004 (Shimorina et al., 2018): the human evaluation of WebNLG 2017."""
