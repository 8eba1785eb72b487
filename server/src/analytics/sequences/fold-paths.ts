/** A path and how often it was seen. */
type SeenPath = { path: string; count: number }

/**
 * More distinct names than this below one part of a path are not separate pages but items of one kind. The
 * top level has more real pages than others.
 */
const namesMax = 30
const topNamesMax = 100
/** A name with this share of its siblings' traffic is a separate page, however many others there are. */
const ownShareMin = 0.1

const uuid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i
const digits = /^\d+$/
const date = /^\d{4}-\d{2}(?:-\d{2})?$/
/** Hexadecimal hashes; the shortest are those of commits. A word such as `facade` has no digit. */
const hash = /^(?=.*\d)[0-9a-f]{7,64}$/i
/** Ids with a prefix and random tokens: letters and digits mixed, too long for a word. */
const token = /^(?:[a-z]{2,10}[_-])?(?=(?:.*\d){2})(?=.*[a-z])[0-9a-z]{10,64}$/i
/** Numbers with a word before or after them: item-4711, 4711-blue-shoe. */
const numbered = /^(?:[a-z]+[_-])?\d{3,}$|^\d{3,}-[a-z0-9-]+$|^[a-z0-9-]+-\d{4,}$/i

export function isId(part: string): boolean {
  return [digits, uuid, date, hash, token, numbered].some((shape) => shape.test(part))
}

type Branch = { count: number; ends: { path: string; count: number }[]; children: Map<string, Branch> }

/**
 * Each path with its ids folded, so that pages of one kind are one page: `/product/123` is `/product/:id`.
 */
export function foldPaths(seen: readonly SeenPath[]): Map<string, string> {
  const root = emptyBranch()
  for (const { path, count } of seen) grow(root, path, count)
  const folded = new Map<string, string>()
  collect(root, '', 0, folded)
  return folded
}

const emptyBranch = (): Branch => ({ count: 0, ends: [], children: new Map() })

function grow(root: Branch, path: string, count: number): void {
  let branch = root
  branch.count += count
  for (const part of path.split('/').filter((one) => one !== '')) {
    const name = isId(part) ? ':id' : part
    const next = branch.children.get(name) ?? emptyBranch()
    branch.children.set(name, next)
    branch = next
    branch.count += count
  }
  branch.ends.push({ path, count })
}

function collect(branch: Branch, prefix: string, depth: number, folded: Map<string, string>): void {
  for (const { path } of branch.ends) folded.set(path, prefix === '' ? '/' : prefix)
  for (const [name, child] of foldNames(branch, depth)) collect(child, `${prefix}/${name}`, depth + 1, folded)
}

function foldNames({ children }: Branch, depth: number): Map<string, Branch> {
  const named = [...children].filter(([name]) => !name.startsWith(':'))
  if (named.length <= (depth === 0 ? topNamesMax : namesMax)) return children
  const total = named.reduce((sum, [, { count }]) => sum + count, 0)
  const kept = new Map(
    [...children].filter(([name, { count }]) => name.startsWith(':') || count >= total * ownShareMin),
  )
  const together = emptyBranch()
  for (const [name, child] of children) if (!kept.has(name)) merge(together, child)
  return kept.set(':slug', together)
}

function merge(into: Branch, from: Branch): void {
  into.count += from.count
  // Too many to be the arguments of one call.
  for (const end of from.ends) into.ends.push(end)
  for (const [name, child] of from.children) {
    const known = into.children.get(name) ?? emptyBranch()
    into.children.set(name, known)
    merge(known, child)
  }
}
