"""The site: lessons, gallery, guide and reference as pages for any browser.

`python -m docs` writes it into `.cache/site`. It executes the notebooks, writes the
sources of the pages (`sources`), and lets Sphinx build a site in each language.
"""
