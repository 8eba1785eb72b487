/** The places of the navigation, in their order. */
export const areaNames = [
  'home',
  'explore',
  'boards',
  'paths',
  'errors',
  'quality',
  'people',
  'settings',
] as const
export type AreaName = (typeof areaNames)[number]

/** The parts of the settings area. */
export const sectionNames = ['site', 'workspace', 'connections', 'account'] as const
export type SectionName = (typeof sectionNames)[number]
