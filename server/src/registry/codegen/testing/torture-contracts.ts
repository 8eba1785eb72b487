import type { EventContract, PropertyRule } from '@assay/contract'
import { pythonKeywords } from '../python-keywords.ts'
import { swiftKeywords } from '../swift-names.ts'

/** Texts that try to end a comment, a docstring or a string, or to pass for a compiler's instruction. */
const hostileTexts: readonly string[] = [
  'ends */ the comment; throw 1 /* and continues',
  '"""\nimport os\n"""',
  "'''\nraise SystemExit\n'''",
  'quote at the end"',
  '""""',
  '"""""',
  'backslash at the end\\',
  '\\" \\\' \\u0022 \\N{QUOTATION MARK} \\(fatalError()) \\',
  '$' + '{process.exit()} `$' + '{1}` #{1} %s {0}',
  '@ts-ignore\n@ts-expect-error',
  '@deprecated @ts-nocheck\n@param {string} x\n{@link',
  '// @ts-nocheck',
  '# type: ignore',
  '/// doc\n#endif\n#error("x")',
  'line\rline\r\nline\u0085line\u2028line\u2029line\vline\fline',
  'null\u0000bell\u0007escape\u001b[31m',
  'right to left \u202e gnp.exe \u2066 and back',
  'lone \ud800 surrogate and \udc00 another',
  '   \n\n  ',
  '',
  '*/',
  '/*',
  '<script>alert(1)</script>',
  'a'.repeat(5000),
]

/** Names that are no identifier, or that mean something to one of the languages. */
export const oddNames: readonly string[] = [
  ...hostileTexts,
  ...pythonKeywords,
  ...swiftKeywords,
  ...`constructor prototype __proto__ __init__ __private _ __ ___ $ $$ hasOwnProperty toString then
    self this cls sender properties extra_properties additional_properties event_name
    contract_version coding_keys raw_value all_cases string_value int_value hash_value description
    debug_description hash encode decode decoder encoder container Type type Self protocol
    Protocol Any String string Double Int str int float dict list None none nil null undefined
    value value_2 Value warnings _warnings Mapping JsonValue AssayJSON print key match case
    _Result annotations`.split(/\s+/),
  'two words',
  'kebab-case',
  'dotted.name',
  'camelCase',
  'camel_case',
  'Camel Case',
  'CAMEL-CASE',
  'camel__case',
  '1st',
  '2',
  '2.0',
  '-1',
  '価格',
  'цена',
  'größe',
  'Größe',
  'e\u0301te\u0301',
  '\u00e9t\u00e9',
  'ﬁne',
  'fine',
  'سعر',
  'ราคา',
  '😀',
  '👨‍👩‍👧',
  'a,b',
  'a"b',
  "a'b",
  'a`b',
  'a\\b',
  'a\nb',
  'a*/b',
  '[]',
  '[key: string]',
  '?',
]

function published(key: string, more: Partial<EventContract>): EventContract {
  return {
    key,
    name: key,
    version: '1-0-0',
    status: 'published',
    description: 'A hard case.',
    properties: {},
    additional: 'warn',
    surfaces: ['web'],
    purpose: 'analytics_storage',
    ...more,
  }
}

/** `__proto__` must become a member, so the record is made of entries. */
function everyName(
  rule: (name: string, index: number) => PropertyRule,
): Readonly<Record<string, PropertyRule>> {
  return Object.fromEntries([...new Set(oddNames)].map((name, index) => [name, rule(name, index)]))
}

const hostile = (index: number): string => hostileTexts[index % hostileTexts.length] ?? ''

const flag: PropertyRule = { type: 'boolean' }
const leaf: PropertyRule = { type: 'string', enum: ['a', 'b'], required: true }
const nestedLists: PropertyRule = {
  type: 'array',
  items: {
    type: 'array',
    items: { type: 'object', properties: { kind: leaf, kinds: { type: 'array', items: leaf } } },
  },
}

export const tortureContracts: readonly EventContract[] = [
  published('odd_optional', {
    properties: everyName((_, index) => ({ type: 'string', description: hostile(index) })),
  }),
  published('odd_required', {
    properties: everyName(() => ({ type: 'number', required: true })),
    additional: 'accept',
  }),
  published('odd_choices', {
    properties: everyName((name) => ({ type: 'string', enum: [name, 'other'] })),
    additional: 'accept',
  }),
  published('odd_records', {
    properties: everyName(() => ({
      type: 'object',
      properties: { class: flag },
    })),
  }),
  published('one_big_choice', {
    properties: {
      type: { type: 'string', enum: oddNames, required: true },
      numbers: {
        type: 'number',
        enum: [0, -0, 1, -1, 1.5, 15, -1.5, 1e21, 1e-7, Number.MAX_SAFE_INTEGER, 1, Number.NaN],
      },
      integers: { type: 'number', enum: [-1, 0, 1] },
      truths: { type: 'boolean', enum: [true] },
      impossible: { type: 'string', enum: [1, true] },
      mixed: { type: 'string', enum: [1, 'one', true, 'one'] },
    },
  }),
  published('names_of_types', {
    properties: Object.fromEntries(
      'str float bool list dict Literal Mapping Required NotRequired TypedDict JsonValue Sequence'
        .split(' ')
        .flatMap((name) => [
          [name, { type: 'string', enum: ['a'] }],
          [`${name}_list`, { type: 'array', items: { type: 'string' } }],
        ]),
    ),
  }),
  published('nested_lists', {
    properties: { items: nestedLists, item: nestedLists, things: { type: 'array' } },
  }),
  published('nested_lists_open', {
    properties: { items: nestedLists, free: { type: 'object' } },
    additional: 'accept',
  }),
  published('nested', { properties: { lists: { type: 'object', properties: { item: leaf } } } }),
  published('empty', { properties: { nothing: { type: 'object', properties: {} } } }),
  published('empty_closed', {}),
  published('empty_open', { additional: 'accept' }),
  ...hostileTexts.map((text, index) =>
    published(`hostile_${index}`, {
      description: text,
      owner: text,
      replaced_by: text,
      version: text,
      name: `${index} ${text}`,
      status: index % 2 === 0 ? 'deprecated' : 'published',
      properties: { note: { type: 'string', description: text, pattern: text, deprecated: true } },
    }),
  ),
  ...[
    ...new Set([...oddNames, 'order_completed', 'orderCompleted', 'order__completed', 'events', 'event']),
  ].map((key) => published(key, { name: `named ${key}`, properties: { status: leaf } })),
]
