import { type Filter, filterItemsMax } from '@assay/contract'

export const groupModes = ['all', 'any', 'none'] as const
type GroupMode = (typeof groupModes)[number]

/** A group while it is edited: conditions, and how many of them have to hold. */
export type GroupDraft = {
  mode: GroupMode
  parts: readonly Filter[]
  /** Of `none` with one part: whether it was written as a group of one. */
  isWrapped: boolean
}

/** Groups within groups that the form opens; deeper ones are shown in words, and can be removed. */
export const groupLevelsMax = 2
export const groupPartsMax = filterItemsMax

export const newGroup = (parts: readonly Filter[]): GroupDraft => ({ mode: 'any', parts, isWrapped: false })

/** Null for a single condition. */
export function groupDraftOf(filter: Filter): GroupDraft | null {
  if (filter[0] === 'and') return { mode: 'all', parts: filter[1], isWrapped: false }
  if (filter[0] === 'or') return { mode: 'any', parts: filter[1], isWrapped: false }
  if (filter[0] !== 'not') return null
  const negated = filter[1]
  return negated[0] === 'or'
    ? { mode: 'none', parts: negated[1], isWrapped: true }
    : { mode: 'none', parts: [negated], isWrapped: false }
}

export function filterOfGroup({ mode, parts, isWrapped }: GroupDraft): Filter {
  if (mode === 'all') return ['and', parts]
  if (mode === 'any') return ['or', parts]
  const [only] = parts
  return ['not', only !== undefined && parts.length === 1 && !isWrapped ? only : ['or', parts]]
}
