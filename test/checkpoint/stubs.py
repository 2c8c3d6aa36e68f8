"""Classes with the names of PyTorch's and Paddle's, for pickles as these tools write them."""
import collections
import io
import pickle
import sys
import types
import zipfile


def module(name):
    parts = name.split(".")
    for i in range(1, len(parts) + 1):
        sys.modules.setdefault(".".join(parts[:i]), types.ModuleType(".".join(parts[:i])))
    return sys.modules[name]


def define(module_name, name, base=object):
    """A class or function that pickle finds under this name."""
    created = type(name, (base,), {"__module__": module_name, "__qualname__": name})
    setattr(module(module_name), name, created)
    return created


def named_function(module_name, name):
    def function(*_):
        raise AssertionError("not called")
    function.__module__, function.__name__, function.__qualname__ = module_name, name, name
    setattr(module(module_name), name, function)
    return function


REBUILD = named_function("torch._utils", "_rebuild_tensor_v2")
SIZE = define("torch", "Size", tuple)
STORAGES = {name: define("torch", name) for name in ("FloatStorage", "LongStorage", "BFloat16Storage")}
DCP = "torch.distributed.checkpoint.metadata"
METADATA, TENSOR_METADATA, CHUNK, INDEX, PROPERTIES = (
    define(DCP, name) for name in
    ("Metadata", "TensorStorageMetadata", "ChunkStorageMetadata", "MetadataIndex", "TensorProperties"))
STORAGE_INFO = define("torch.distributed.checkpoint.filesystem", "_StorageInfo")
PADDLE = "paddle.distributed.flex_checkpoint.dcp.metadata"
PADDLE_METADATA, LOCAL_METADATA, LOCAL_INDEX = (
    define(PADDLE, name) for name in ("Metadata", "LocalTensorMetadata", "LocalTensorIndex"))


def make(cls, **attributes):
    value = cls.__new__(cls)
    value.__dict__.update(attributes)
    return value


class Storage:
    def __init__(self, kind, key, data, count):
        self.kind, self.key, self.data, self.count = kind, key, data, count


class TorchTensor:
    """A tensor that pickles as torch's does."""

    def __init__(self, storage, offset, shape, strides):
        self.arguments = (storage, offset, tuple(shape), tuple(strides), False, collections.OrderedDict())

    def __reduce__(self):
        return REBUILD, self.arguments


class TorchPickler(pickle.Pickler):
    def __init__(self, file):
        super().__init__(file, protocol=2)
        self.storages = {}

    def persistent_id(self, obj):
        if not isinstance(obj, Storage):
            return None
        self.storages[obj.key] = obj
        return ("storage", STORAGES[obj.kind], obj.key, "cpu", obj.count)


def torch_save(value, compression=zipfile.ZIP_STORED):
    """The bytes that torch.save writes."""
    text = io.BytesIO()
    pickler = TorchPickler(text)
    pickler.dump(value)
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", compression) as archive:
        archive.writestr("archive/data.pkl", text.getvalue())
        archive.writestr("archive/byteorder", "little")
        for key, storage in pickler.storages.items():
            archive.writestr(f"archive/data/{key}", storage.data)
    return content.getvalue()
