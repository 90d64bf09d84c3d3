"""Reports: figures, tables and one self-contained page from the records of an analysis.

`figures` turns chart records into Vega-Lite specifications (plain data), `figure_files` draws them
as files, `layout` numbers and prepares what `templates/` lays out, `page` makes the document and
the folder around it.
"""
