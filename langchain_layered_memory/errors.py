"""Every error this package raises, as one tree.

```
LayeredMemoryError
├── InvalidInputError (ValueError)      what was given cannot be used; nothing was changed
│   ├── ScopeError                      no user id, or an id that is not text, int or UUID
│   ├── PolicyError                     a number of the policy is out of its range
│   ├── FilterError                     an unknown operator, or an operand of the wrong type
│   ├── ValueNotStorableError           a value that JSON cannot hold unchanged
│   └── ReservedNamespaceError          a write below the root where the layers live
├── NotFoundError (LookupError)         no record has this id in this scope
├── ConflictError                       somebody else changed the record first; read and try again
├── ExtractionError                     a chat model's answer held no usable operations
├── EmbeddingError
│   ├── DimensionMismatchError          vectors of another length than the index has
│   └── EmbeddingSpaceError             the stored vectors were made by another model
├── BackendError                        the database said no; its own error is the cause
│   ├── BackendUnavailableError         not there, locked for too long, or closed
│   ├── ReadOnlyError                   the file or folder cannot be written
│   ├── CorruptStoreError               the file is not a database, or is damaged
│   └── SchemaTooNewError               written by a newer version of this package
└── MissingExtraError (ImportError)     an optional dependency is not installed
```

Drivers' own exceptions are translated at the edge of their backend; the cause is kept.
"""

from __future__ import annotations


class LayeredMemoryError(Exception):
    """Any error of this package."""


class InvalidInputError(LayeredMemoryError, ValueError):
    """What was given cannot be used; nothing stored was changed."""


class ScopeError(InvalidInputError):
    """A scope has no user id, or an id that cannot name anybody."""


class PolicyError(InvalidInputError):
    """A number of the policy is out of its range."""


class FilterError(InvalidInputError):
    """A search filter has an unknown operator or an operand of the wrong type."""


class ValueNotStorableError(InvalidInputError, TypeError):
    """A value that JSON cannot hold unchanged, so it would come back as something else."""


class ReservedNamespaceError(InvalidInputError):
    """A write below the reserved root; the memory layers are changed through `LayeredMemory`."""


class NotFoundError(LayeredMemoryError, LookupError):
    """No record has this id in this scope."""


class ConflictError(LayeredMemoryError):
    """Somebody else changed the record first; read the newest version and try again."""


class ExtractionError(LayeredMemoryError):
    """A chat model's answer held no usable operations."""


class EmbeddingError(LayeredMemoryError):
    """An embedding model gave something that is not one finite vector for each text."""


class DimensionMismatchError(EmbeddingError):
    """A vector has another length than the index has."""


class EmbeddingSpaceError(EmbeddingError):
    """The stored vectors were made by another model; vectors of two models do not compare."""


class BackendError(LayeredMemoryError):
    """The database refused; its own error is the cause of this one."""


class BackendUnavailableError(BackendError):
    """The database is not there, was locked for too long, or has been closed."""


class ReadOnlyError(BackendError):
    """The database cannot be written."""


class CorruptStoreError(BackendError):
    """The file is not a database, or is damaged."""


class SchemaTooNewError(BackendError):
    """The database was written by a newer version of this package."""


class MissingExtraError(LayeredMemoryError, ImportError):
    """An optional dependency is not installed; the message names the extra that brings it."""
