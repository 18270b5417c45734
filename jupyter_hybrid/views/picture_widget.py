"""What every widget that draws a picture has: its traits, and the messages of its pages."""

from __future__ import annotations

import sys
from typing import Any

import anywidget
import ipywidgets
import traitlets

from . import linked
from .schema import Spec
from .script import script_traits
from .stage_message import ran_stage


class PictureWidget(anywidget.AnyWidget):
    """A widget whose page draws a picture, which it asks for.

    Attributes:
        spec_id: of the picture.
        stage_names: of the picture's stages, in order.
        stage: index of the stage shown, 0 is "as written".
        selected: ids of the selected nodes.
    """

    # Declared, though anywidget would add them: that makes a class of its own for each widget.
    _esm = traitlets.Unicode().tag(sync=True)
    _anywidget_id = traitlets.Unicode("jupyter_hybrid.viewer").tag(sync=True)
    stage = traitlets.Int(0).tag(sync=True)
    selected = traitlets.List(traitlets.Int()).tag(sync=True)
    script = traitlets.Instance(ipywidgets.Widget, allow_none=True).tag(
        sync=True, **ipywidgets.widget_serialization
    )

    def __init__(self, **traits: Any):
        self.asked = False  # a page draws it
        super().__init__(**script_traits(), **traits)
        self.on_msg(self._received)
        linked.register(self)

    def add_traits(self, **traits: Any) -> None:
        new = {name: trait for name, trait in traits.items() if not self.has_trait(name)}
        if new:
            super().add_traits(**new)

    def note(self, spec: Spec) -> None:
        """What is known of the picture from here on, without holding it."""
        self.spec_id = spec["id"]
        self.stage_names = [sys.intern(stage["name"]) for stage in spec["stages"]]

    def answer(self) -> dict[str, Any]:
        """The message that a page which asks for the picture is sent."""
        raise NotImplementedError

    def planned(self, spec: Spec) -> bool:
        """Shows the cell planned again; have other pages been told, too?"""
        raise NotImplementedError

    def tell(self) -> None:
        """Sends the picture to the pages that have asked."""
        if self.asked:
            self.send(self.answer())

    def _received(self, widget: Any, content: Any, buffers: Any) -> None:
        """A message of the browser: it wants the spec to draw it, or a switch was moved."""
        kind = content.get("type") if isinstance(content, dict) else None
        if kind == "ask":
            self.asked = True
            self.tell()
        elif kind == "switch":
            refused = linked.switched({**content, "id": self.spec_id})
            if refused is not None:
                self.send(refused)
        elif kind == "run_stage":
            self.send(ran_stage({**content, "id": self.spec_id}))

    @traitlets.validate("stage")
    def _valid_stage(self, proposal: Any) -> int:
        names = self.stage_names
        if not 0 <= proposal["value"] <= max(len(names) - 1, 0):
            raise traitlets.TraitError(
                f"stage: expected 0 to {len(names) - 1}, got {proposal['value']}; the stages are "
                + ", ".join(names)
            )
        return proposal["value"]
