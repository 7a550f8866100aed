"""The tables and figures of the papers next to ours, from the data that the papers used.

- Papers 000 and 001 (`esa`, `correlations`): Faille, Gatt and Gardent (2021), "Entity-Based
  Semantic Adequacy for Data-to-Text Generation", Findings of EMNLP.
- Paper 002 (`nli`): Dušek and Kasner (2020), "Evaluating Semantic Accuracy of Data-to-Text
  Generation with Natural Language Inference", INLG.
- Paper 003 (`joint`): joint representations of graphs and texts.
- Paper 004 (`human`): Shimorina, Gardent, Narayan and Perez-Beltrachini (2018), "WebNLG Challenge:
  Human Evaluation Results", technical report.
"""
