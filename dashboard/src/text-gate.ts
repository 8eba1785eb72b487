import { some } from './plural.ts'

/** Words of the gate: unregistered events, and proposals for them. */
export const gateText = {
  proposals: {
    title: 'Proposed contracts',
    lead: 'Made from events that came unregistered in the last 7 days.',
    event: 'Event',
    events: 'Events',
    properties: 'Properties',
    property: (name: string, type: string, isRequired: boolean) =>
      isRequired ? `${name}: ${type}, required` : `${name}: ${type}`,
    publish: 'Publish',
    publishOf: (name: string) => `Publish ${name}`,
    edit: 'Edit',
    editOf: (name: string) => `Edit the proposal for ${name}`,
    draft: 'drafted',
    published: (name: string, released: number) =>
      released === 0 ? `${name} is published` : `${name} is published, ${some(released, 'event')} released`,
    madeFrom: (count: number) =>
      `Proposed from ${some(count, 'event')} that came. Check types and limits before you publish.`,
  },
  causes: {
    unknown_event:
      'No published contract has this name. Register it, map it to a known event, or discard it.',
    invalid_name: 'The name is not snake_case and nothing maps it. Register it, or map it to a known event.',
    mapping_incomplete: 'A rule knows the name, but what the event needs is missing. Map its properties.',
    value_not_allowed: 'A value is not among those that the contract allows.',
    pii_detected: 'It seems to hold personal data where none belongs.',
    too_old: 'It is older than events may be when they arrive.',
    required_missing: 'Something required is missing. Add it with a patch, or make it optional.',
    type_mismatch: 'A property has another type than the contract says.',
  },
  heldSource: {
    waiting: (count: number) =>
      `${some(count, 'event')} of this name ${count === 1 ? 'is' : 'are'} quarantined, so not stored. Release them and they count by this rule.`,
    release: 'Release them',
    released: (count: number) => `${some(count, 'event')} released. They count within seconds.`,
  },
  bots: {
    badge: 'bot',
    reasons: {
      user_agent: 'the user agent is that of a bot or a script',
      missing_user_agent: 'the request had no user agent',
      headless: 'the browser was run by a script',
      prefetch: 'the page was loaded ahead of a visit',
    },
    notCounted: {
      bot: 'a bot sent it',
      duplicate_order: 'its order counts already',
      superseded: 'the event of your server counts instead',
      held: 'it is quarantined',
      discarded: 'it was discarded',
      expired: 'it expired in the quarantine',
      dead_letter: 'a store refused it',
    },
  },
  gate: {
    title: 'Unregistered events',
    presets: { learning: 'Learning', strict: 'Strict' },
    means: {
      learning: 'Unregistered events are counted, with a warning to their sender.',
      strict: 'Unregistered events are quarantined until you register, map or discard them.',
    },
    would: (count: string, days: number) =>
      `Strict would have quarantined ${count} of the events of the last ${some(days, 'day')}.`,
    none: (days: number) => `Every event of the last ${some(days, 'day')} was registered.`,
    held: (count: string, days: number) => `${count} were quarantined in the last ${some(days, 'day')}.`,
    toStrict: 'Switch to strict',
    toLearning: 'Switch to learning',
    strictTitle: 'Quarantine unregistered events?',
    strictMeans:
      'Unregistered events are quarantined for 30 days and count once you release them. Stored events stay.',
    learningTitle: 'Count unregistered events?',
    learningMeans:
      'Unregistered events are counted on arrival. Quarantined events stay there until you release them.',
    switched: (preset: string) => `The gate is now ${preset.toLowerCase()}`,
    ownSeverity: (code: string, outcome: string) => `${code} is set to ${outcome} separately.`,
    names: 'Most frequent names',
  },
}
