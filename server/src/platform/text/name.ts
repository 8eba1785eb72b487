import { invalidParameter } from '@assay/contract'

/** What someone calls a thing that they save. */
export function readName(name: string): string {
  if (name.trim() === '') throw invalidParameter('name', 'must hold more than spaces')
  return name.trim()
}
