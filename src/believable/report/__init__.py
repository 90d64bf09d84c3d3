"""Reports: figures, tables and one self-contained page from the records of an analysis.

`numbers` says how a number is written, `figures` turns chart records into Vega-Lite specifications (plain data),
`pictures` draws them as files, `page` lays everything out, `write` puts it into a folder.
"""
