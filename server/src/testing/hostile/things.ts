/** What a target holds, so that requests can name it. What does not exist is called `none_such`. */
export type Things = Readonly<Record<(typeof thingNames)[number], string>> & {
  connections: Readonly<Record<string, string>>
}

const thingNames = [
  'workspaceId',
  'siteId',
  'siteToken',
  'publicKey',
  'spareWorkspaceId',
  'lostWorkspaceId',
  'spareSiteId',
  'keyId',
  'invitationId',
  'contractKey',
  'packKey',
  'mappingId',
  'definitionId',
  'alertId',
  'annotationId',
  'audienceId',
  'boardId',
  'digestId',
  'errorRuleId',
  'goalId',
  'reportId',
  'shareId',
  'shareToken',
  'personId',
  'otherPersonId',
  'requestId',
  'eventId',
  'exportId',
  'destinationId',
  'spareConnectionId',
] as const
type ThingName = (typeof thingNames)[number]

export type Making = Record<ThingName, string> & { connections: Record<string, string> }

/** Nothing exists yet: enough to say which requests there are. */
export function namelessThings(): Making {
  const names = thingNames.map((name) => [name, 'none_such'])
  // boundary: each name gets a value here, whatever the compiler knows of lists.
  return { ...(Object.fromEntries(names) as Record<ThingName, string>), connections: {} }
}
