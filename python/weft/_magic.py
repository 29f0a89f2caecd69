"""The cell magic %%weft of notebooks."""

import html

from IPython.core.magic import Magics, cell_magic, line_magic, magics_class
from IPython.core.magic_arguments import argument, magic_arguments, parse_argstring
from IPython.display import HTML, Image, display

from ._array import Array
from ._client import WeftError
from ._session import Session


class CellError(Exception):
    """What is wrong with a cell. Cells below it do not run; in place of a traceback of this package stands the line, with a caret."""

    def _render_traceback_(self):
        return str(self).splitlines()


@magics_class
class WeftMagics(Magics):
    """%%weft enters a cell into a session that lasts as long as the notebook."""

    def __init__(self, shell):
        super().__init__(shell)
        self.session = Session()

    @magic_arguments()
    @argument("-i", "--input", action="append", default=[], metavar="NAME", help="a variable of Python that the cell uses")
    @argument("-o", "--output", action="append", default=[], metavar="NAME", help="a name of the cell to become a variable of Python")
    @argument("-e", "--explain", action="store_true", help="say what would run, and do not run it")
    @argument("-t", "--time", action="store_true", help="say how long it took")
    @cell_magic
    def weft(self, line, cell):
        """Run a cell of the language weft."""
        a = parse_argstring(self.weft, line)
        values = {}
        for name in a.input:
            if name not in self.shell.user_ns:
                raise CellError(f"no variable {name}")
            values[name] = self.shell.user_ns[name]
        try:
            if a.explain:
                page = self.session.explain(cell, format="html", **values)
                display(HTML(f'<div><iframe srcdoc="{html.escape(page)}" style="width: 100%; height: 40em; border: 0"></iframe></div>'))
                return
            r = self.session.run(cell, want=a.output, **values)
        except (WeftError, TypeError, ValueError) as e:
            raise CellError(e) from None
        for piece in r.shown:
            if isinstance(piece, bytes):
                display(Image(piece))
            else:
                print(piece, end="")
        for path in r.files:
            if path.endswith((".png", ".svg")):
                display(Image(filename=path) if path.endswith(".png") else HTML(f"<img src={html.escape(path, quote=True)!r}>"))
        if r.warned:
            print(r.warned)
        if a.time:
            print(r.summary, end="")
        self.shell.user_ns.update(r)

    @line_magic
    def weft_reset(self, line):
        """Forget all that cells of the language defined."""
        self.session.close()
        self.session = Session()


def _page(a, printer, cycle):
    printer.text(repr(a))


def register(shell):
    """Add the magic, and how arrays are shown."""
    shell.register_magics(WeftMagics)
    shell.display_formatter.formatters["text/plain"].for_type(Array, _page)
