import { cookieSettings, menuOpen, playDemo } from '../elements.ts'
import type { SiteModel } from '../model.ts'

export const saas: SiteModel = {
  key: 'saas',
  name: 'Ledgerline',
  domain: 'ledgerline.example',
  timezone: 'America/New_York',
  currency: 'USD',
  share: 0.2,
  rhythm: 'office',
  weekendFactor: 0.35,
  returningShare: 0.5,
  knownShare: 0.3,
  searchShare: 0.05,
  searchWords: ['invoice', 'export', 'vat', 'api', 'roles', 'sso'],
  pages: [
    { path: '/', title: 'Ledgerline', weight: 40 },
    { path: '/features/:id', title: 'Feature', weight: 25, ids: 12 },
    { path: '/docs/:id', title: 'Documentation', weight: 25, ids: 140 },
    { path: '/customers', title: 'Customers', weight: 10 },
  ],
  elements: [menuOpen, playDemo, cookieSettings],
  funnels: [
    {
      key: 'signup',
      name: 'Pricing to sign-up',
      audience: 'unknown',
      entryShare: 0.38,
      steps: [
        {
          key: 'pricing',
          label: 'Pricing',
          match: { event: '$pageview', path: '/pricing', title: 'Pricing' },
        },
        {
          key: 'signup-page',
          label: 'Sign-up page',
          match: { event: '$pageview', path: '/signup', title: 'Sign up' },
        },
        {
          key: 'signup-form',
          label: 'Sign-up form',
          match: { event: '$form_submit', formId: 'signup', fields: 4 },
        },
        { key: 'signup', label: 'Sign-up', match: { event: '$signup' } },
      ],
      rates: [0.42, 0.6, 0.9],
    },
    {
      key: 'subscribe',
      name: 'Login to subscription',
      audience: 'known',
      entryShare: 0.75,
      steps: [
        { key: 'login', label: 'Login', match: { event: '$login' } },
        {
          key: 'dashboard',
          label: 'Dashboard',
          match: { event: '$pageview', path: '/app/dashboard', title: 'Dashboard' },
        },
        {
          key: 'billing',
          label: 'Billing',
          match: { event: '$pageview', path: '/app/billing', title: 'Billing' },
        },
        {
          key: 'billing-form',
          label: 'Billing form',
          match: { event: '$form_submit', formId: 'billing', fields: 7 },
        },
        { key: 'subscribe', label: 'Subscription', match: { event: '$subscribe' } },
      ],
      rates: [0.95, 0.22, 0.5, 0.88],
    },
  ],
  errors: [
    {
      key: 'signup-validator',
      name: 'RangeError',
      message: 'Invalid time zone specified: Etc/Unknown',
      file: 'signup',
      functionNames: ['formatTrialEnd', 'SignupForm'],
      handled: false,
      at: { funnel: 'signup', step: 'signup-page' },
      share: 0.07,
      dropOff: 0.5,
    },
    {
      key: 'socket-closed',
      name: 'Error',
      message: 'WebSocket closed after # ms',
      file: 'live',
      functionNames: ['onClose', 'reconnect'],
      handled: true,
      at: null,
      share: 0.04,
      dropOff: 0,
    },
  ],
  priceMedian: 49,
  plans: [
    { name: 'starter', price: 19 },
    { name: 'team', price: 49 },
    { name: 'business', price: 149 },
  ],
}
