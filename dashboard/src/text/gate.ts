import { some } from '../plural.ts'

/** Words of the gate: unregistered events, and proposals for them. */
export const gateText = {
  proposals: {
    title: 'Proposed contracts',
    lead: 'Based on unregistered events from the last 7 days.',
    event: 'Event',
    events: 'Events',
    properties: 'Properties',
    property: (name: string, type: string, isRequired: boolean) =>
      isRequired ? `${name}: ${type}, required` : `${name}: ${type}`,
    publish: 'Publish',
    publishOf: (name: string) => `Publish ${name}`,
    edit: 'Edit',
    editOf: (name: string) => `Edit the proposal for ${name}`,
    draft: 'draft exists',
    published: (name: string, released: number) =>
      released === 0 ? `${name} is published` : `${name} is published, ${some(released, 'event')} released`,
    madeFrom: (count: number) =>
      `Based on ${some(count, 'event')}. Check types and limits before you publish.`,
  },
  causes: {
    unknown_event:
      'No published contract has this name. Register it, map it to a known event, or discard it.',
    invalid_name: 'The name is not snake_case and not mapped. Register it, or map it to a known event.',
    mapping_incomplete: 'The name is mapped, but required properties are not. Map them too.',
    value_not_allowed: 'The contract does not allow this value.',
    pii_detected: 'It seems to contain personal data that does not belong there.',
    too_old: 'The event is too old.',
    required_missing: 'A required property is missing. Add it with a patch, or make it optional.',
    type_mismatch: 'A property has a different type than the contract requires.',
  },
  heldSource: {
    waiting: (count: number) =>
      `${some(count, 'event')} with this name ${count === 1 ? 'is' : 'are'} quarantined. Release them to count them by this rule.`,
    release: 'Release them',
    released: (count: number) => `${some(count, 'event')} released. They count within seconds.`,
  },
  bots: {
    badge: 'bot',
    reasons: {
      user_agent: 'the user agent belongs to a bot or a script',
      missing_user_agent: 'the request had no user agent',
      headless: 'the browser was automated',
      prefetch: 'the page was only prefetched',
    },
    notCounted: {
      bot: 'a bot sent it',
      duplicate_order: 'the order is already counted',
      superseded: 'your server’s event counts instead',
      held: 'it is quarantined',
      discarded: 'it was discarded',
      expired: 'it expired in quarantine',
      dead_letter: 'it is a dead letter',
    },
  },
  gate: {
    title: 'Unregistered events',
    presets: { learning: 'Learning', strict: 'Strict' },
    means: {
      learning: 'Unregistered events are counted, and senders get a warning.',
      strict: 'Unregistered events are quarantined until you register, map or discard them.',
    },
    would: (count: string, days: number) =>
      `Strict mode would have quarantined ${some(count, 'event')} in the last ${some(days, 'day')}.`,
    none: (days: number) => `Every event in the last ${some(days, 'day')} was registered.`,
    held: (count: string, days: number) => `${count} were quarantined in the last ${some(days, 'day')}.`,
    toStrict: 'Switch to strict',
    toLearning: 'Switch to learning',
    strictTitle: 'Quarantine unregistered events?',
    strictMeans:
      'Unregistered events are quarantined for 30 days and count once you release them. Stored events are not affected.',
    learningTitle: 'Count unregistered events?',
    learningMeans:
      'Unregistered events are counted on arrival. Quarantined events stay in quarantine until you release them.',
    switched: (preset: string) => `Switched to ${preset.toLowerCase()} mode`,
    ownSeverity: (code: string, outcome: string) => `${code} is set to ${outcome} separately.`,
    names: 'Most frequent names',
  },
}
