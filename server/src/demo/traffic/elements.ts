import type { ElementModel } from './model.ts'

function button(key: string, text: string, ancestors: readonly string[], x: number, y: number): ElementModel {
  const last = ancestors.at(-1) ?? 'main'
  return {
    key,
    text,
    tag: 'button',
    role: 'button',
    id: key,
    classes: ['btn', `btn-${key}`],
    ancestors,
    selector: `${last} > button#${key}`,
    position: { x, y, width: 168, height: 44 },
  }
}

export const addToCart = button('add-to-cart', 'Add to cart', ['body', 'main', 'form.buy-box'], 980, 420)
export const paywallOffer = button(
  'paywall-offer',
  'Read on for €1',
  ['body', 'main', 'section.paywall'],
  560,
  900,
)

/** Buttons of the shop's home page that a redesign touches, one in each way that drift can happen. */
export const newsletterJoin = button(
  'newsletter-join',
  'Join the newsletter',
  ['body', 'footer', 'form.letter'],
  420,
  2380,
)
export const sizeGuide = button('size-guide', 'Size guide', ['body', 'main', 'nav.help'], 210, 640)
export const storeFinder = button('store-finder', 'Find a store', ['body', 'header', 'nav.top'], 1180, 64)
export const giftCards = button('gift-cards', 'Gift cards', ['body', 'main', 'section.promo'], 640, 1210)

export const menuOpen = button('menu-open', 'Menu', ['body', 'header', 'nav.top'], 40, 64)
export const cookieSettings = button(
  'cookie-settings',
  'Cookie settings',
  ['body', 'footer', 'nav.legal'],
  90,
  2500,
)
export const playDemo = button('play-demo', 'Watch the demo', ['body', 'main', 'section.hero'], 610, 520)
export const shareArticle = button('share-article', 'Share', ['body', 'main', 'aside.tools'], 1240, 310)

/** How the redesign leaves each of them; `null` is gone. */
export const redesign: readonly {
  readonly kind: 'renamed' | 'moved' | 'retexted' | 'removed'
  readonly before: ElementModel
  readonly after: ElementModel | null
}[] = [
  {
    kind: 'renamed',
    before: newsletterJoin,
    after: {
      ...newsletterJoin,
      id: 'letter-subscribe',
      classes: ['btn', 'btn-letter'],
      selector: 'form.letter > button#letter-subscribe',
    },
  },
  {
    kind: 'moved',
    before: storeFinder,
    after: {
      ...storeFinder,
      ancestors: ['body', 'footer', 'nav.stores'],
      selector: 'nav.stores > button#store-finder',
      position: { x: 300, y: 2440, width: 168, height: 44 },
    },
  },
  { kind: 'retexted', before: giftCards, after: { ...giftCards, text: 'Give a present' } },
  { kind: 'removed', before: sizeGuide, after: null },
]
