import { cookieSettings, menuOpen, paywallOffer, shareArticle } from '../elements.ts'
import type { SiteModel } from '../model.ts'

export const media: SiteModel = {
  key: 'media',
  name: 'The Meridian Post',
  domain: 'meridianpost.example',
  timezone: 'Europe/London',
  currency: 'GBP',
  share: 0.3,
  rhythm: 'news',
  weekendFactor: 0.85,
  returningShare: 0.55,
  knownShare: 0.1,
  searchShare: 0.06,
  searchWords: ['election', 'budget', 'football', 'weather', 'crossword', 'recipes'],
  pages: [
    { path: '/', title: 'The Meridian Post', weight: 45 },
    { path: '/section/:id', title: 'Section', weight: 35, ids: 14 },
    { path: '/live/:id', title: 'Live', weight: 20, ids: 30 },
  ],
  elements: [menuOpen, shareArticle, cookieSettings],
  funnels: [
    {
      key: 'subscription',
      name: 'Article to subscription',
      audience: 'unknown',
      entryShare: 0.6,
      steps: [
        {
          key: 'article',
          label: 'Article',
          match: { event: '$pageview', path: '/article/:id', title: 'Article', ids: 9000 },
        },
        { key: 'paywall-offer', label: 'Paywall offer', match: { event: '$click', element: paywallOffer } },
        {
          key: 'offer',
          label: 'Offer page',
          match: { event: '$pageview', path: '/subscribe', title: 'Subscribe' },
        },
        { key: 'subscribe', label: 'Subscription', match: { event: '$subscribe' } },
      ],
      rates: [0.14, 0.8, 0.35],
    },
  ],
  errors: [
    {
      key: 'ad-slot',
      name: 'ReferenceError',
      message: 'adSlots[#] is not defined',
      file: 'ads',
      functionNames: ['fillSlot', 'refresh'],
      handled: false,
      at: { funnel: 'subscription', step: 'article' },
      share: 0.1,
      dropOff: 0,
    },
  ],
  priceMedian: 9.9,
  plans: [
    { name: 'digital', price: 9.9 },
    { name: 'digital-and-print', price: 24.9 },
  ],
}
