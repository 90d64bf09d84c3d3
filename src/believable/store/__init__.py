"""Everything kept: tables, migrations, group commit, every query, backup and restore. The only package that speaks SQL."""
