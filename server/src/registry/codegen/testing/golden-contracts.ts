import { type EventContract, standardByKey } from '@assay/contract'

const standard = [...standardByKey.values()].filter(({ key }) => key === 'purchase' || key === 'search')

/** Few contracts that between them use everything the emitters can do; their output is committed and reviewed. */
export const goldenContracts: readonly EventContract[] = [
  ...standard,
  {
    key: 'checkout_step_completed',
    name: 'checkout_step_completed',
    version: '2-1-0',
    status: 'published',
    description: 'One step of the checkout is done.\n\nThe steps make the checkout funnel.',
    owner: 'conversion',
    properties: {
      step: {
        type: 'string',
        enum: ['address', 'payment', 'none'],
        required: true,
        description: 'Which step',
      },
      attempt: { type: 'number', enum: [1, 2, 3], description: 'Which attempt' },
      share: { type: 'number', enum: [0.5, 1], description: 'Share paid now' },
      accepted: {
        type: 'boolean',
        enum: [true],
        required: true,
        description: 'The terms; sent only when accepted',
      },
      'gift-wrap': { type: 'boolean', description: 'Whether "wrapped" */ as a gift """' },
      class: { type: 'string', deprecated: true, description: 'Old name of the delivery class' },
      discount_rate: { type: 'number', minimum: 0, maximum: 100, description: 'Taken off, in percent' },
      delivery: {
        type: 'object',
        required: true,
        description: 'How it travels',
        properties: {
          method: { type: 'string', enum: ['standard', 'express'], required: true },
          slots: {
            type: 'array',
            description: 'When someone is at home',
            items: {
              type: 'object',
              properties: {
                day: { type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}$', required: true },
                parts: {
                  type: 'array',
                  items: { type: 'string', enum: ['morning', 'evening'] },
                  required: true,
                },
              },
            },
          },
        },
      },
      grid: { type: 'array', items: { type: 'array', items: { type: 'number' } } },
    },
    additional: 'warn',
    surfaces: ['web', 'ios'],
    purpose: 'analytics_storage',
  },
  {
    key: 'old_checkout',
    name: 'old_checkout',
    version: '1-0-0',
    status: 'deprecated',
    description: 'The checkout before it had steps.',
    properties: {},
    additional: 'quarantine',
    surfaces: ['web'],
    purpose: 'analytics_storage',
    replaced_by: 'checkout_step_completed',
  },
  {
    key: 'checkout_step__completed',
    name: 'checkout_step__completed',
    version: '1-0-0',
    status: 'published',
    description: 'A twin whose name differs only where identifiers cannot.',
    properties: { note: { type: 'string' } },
    additional: 'accept',
    surfaces: [],
    purpose: 'analytics_storage',
  },
  {
    key: 'class',
    name: 'class',
    version: '1-0-0',
    status: 'published',
    description: 'A word of all three languages.',
    properties: { from: { type: 'string', required: true }, self: { type: 'string' } },
    additional: 'warn',
    surfaces: [],
    purpose: 'analytics_storage',
  },
]
