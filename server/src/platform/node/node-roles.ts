/**
 * What a node does: `data` takes events, `control` answers everything else, `loader` carries the log into the events
 * store, `jobs` works in the background for all nodes.
 */
export const nodeRoles = ['data', 'control', 'loader', 'jobs'] as const
export type NodeRole = (typeof nodeRoles)[number]

export function isNodeRole(text: string): text is NodeRole {
  return nodeRoles.some((role) => role === text)
}
