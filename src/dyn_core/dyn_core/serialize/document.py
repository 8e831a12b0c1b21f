"""Documents: the plain data of a Model or Data, headed by its format and version.

Every encoding writes such a document, so what is stored is listed once, and a format is added
without knowing what a robot is.
"""

from __future__ import annotations

from dyn_core.errors import ModelError
from dyn_core.execution import Data
from dyn_core.model import Model
from dyn_core.serialize import data_plain, model_plain
from dyn_core.serialize.plain import Node, Plain, check_depth

MODEL_FORMAT, DATA_FORMAT = "dyn_core.model", "dyn_core.data"
VERSION = 1
"""Version of both formats. It grows when a reader of the version before could misread them."""
HEAD = ("format", "version")


def to_document(thing: Model | Data) -> dict[str, Plain]:
    """The document of a Model or Data.

    A model is read back before anyone gets to see its document, so what is written can be read.

    Raises:
        ModelError: it holds something that cannot be stored, such as a joint type of the user's.
    """
    if isinstance(thing, Data):
        return {"format": DATA_FORMAT, "version": VERSION, **data_plain.data_to_plain(thing)}
    if not isinstance(thing, Model):
        raise TypeError(f"only a Model or Data can be written, not a {type(thing).__name__}")
    if type(thing) is not Model:
        raise ModelError(
            f"{thing!r} is a {type(thing).__name__}, and would be read back as a plain Model, "
            "without what its class overrides; pickle it, or write a Model"
        )
    document = _model_document(thing)
    check_depth(document)
    if _model_document(from_document(document)) != document:
        raise ModelError(
            f"{thing!r} cannot be written: it would be read back as another model; "
            "build it with a ModelBuilder"
        )
    return document


def from_document(document: object, model: Model | None = None) -> Model | Data:
    """The Model of a document, or the Data of one if its ``model`` is given.

    Raises:
        ModelError: the document is damaged, foreign, newer than this release, or not of this kind.
    """
    node = Node(document, "document")
    format_ = node.get("format").text()
    if format_ not in (MODEL_FORMAT, DATA_FORMAT):
        raise node.error(
            f"the format is '{format_:.100}', not '{MODEL_FORMAT}' or '{DATA_FORMAT}': "
            "this is not a file of dyn_core"
        )
    _check_version(node.get("version"))
    if format_ == MODEL_FORMAT:
        if model is not None:
            raise node.error("this is a Model, not Data; read it without giving a model")
        keys = (*HEAD, *model_plain.FIELDS)
        return model_plain.model_of(node.fields(keys, model_plain.OPTIONAL_FIELDS))
    if model is None:
        raise node.error("this is Data, not a Model; to read it, give the model that it is of")
    return data_plain.data_of(node.fields((*HEAD, *data_plain.FIELDS)), model)


def _model_document(model: object) -> dict[str, Plain]:
    assert isinstance(model, Model)
    return {"format": MODEL_FORMAT, "version": VERSION, **model_plain.model_to_plain(model)}


def _check_version(node: Node) -> None:
    version = node.integer(1, 2**31)
    if version > VERSION:
        raise node.error(
            f"this was written by a newer dyn_core, in version {version} of the format; "
            f"this one reads up to version {VERSION}, so update it"
        )
