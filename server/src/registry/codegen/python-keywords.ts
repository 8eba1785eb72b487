const listed = (text: string): string[] => text.split(/\s+/)

export const pythonKeywords: ReadonlySet<string> = new Set(
  listed(`False None True and as assert async await break class continue def del elif else except finally
  for from global if import in is lambda nonlocal not or pass raise return try while with yield`),
)

/** The built-in functions and types of Python 3.11: a function of that name would hide them from the file. */
const builtIns = listed(
  `abs aiter all anext any ascii bin bool breakpoint bytearray bytes callable chr classmethod compile
  complex copyright credits delattr dict dir divmod enumerate eval exec exit filter float format
  frozenset getattr globals hasattr hash help hex id input int isinstance issubclass iter len
  license list locals map max memoryview min next object oct open ord pow print property quit range
  repr reversed round set setattr slice sorted staticmethod str sum super tuple type vars zip`,
)

export const notAFunction: ReadonlySet<string> = new Set([...pythonKeywords, ...builtIns, 'annotations'])

/** A parameter hides a built-in only from its own function, whose body uses none; these the body does use. */
export const notAParameter: ReadonlySet<string> = new Set([
  ...pythonKeywords,
  'extra_properties',
  'properties',
  'sender',
])

/** Names the package imports or declares. */
export const reservedTypes: ReadonlySet<string> = new Set(
  listed(
    `AssayClient AssayError DeprecationWarning Exception False Issue JsonArray JsonValue Literal Mapping None
    NotRequired Protocol Receipt Required Sender TrackedEvent True TypeAlias TypedDict TypeVar`,
  ),
)
