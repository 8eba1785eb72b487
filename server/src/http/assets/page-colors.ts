/** The colours of the dashboard, for pages that are served without its files: sign-in, shared views, problems. */
export const pageColors = {
  light:
    '--paper:#f7f8f7;--sheet:#fff;--sunk:#eef0ee;--line:#e2e5e2;--strong:#858d87;--ink:#171a18;--soft:#59615c;' +
    '--accent:#0b6b58;--on-accent:#fff;--wrong:#b02a24',
  dark:
    '--paper:#0f1210;--sheet:#171b19;--sunk:#212623;--line:#2a302c;--strong:#7a847d;--ink:#eceeec;--soft:#a3aca6;' +
    '--accent:#5fcab0;--on-accent:#08201a;--wrong:#f3968c',
} as const

/** For a page that follows the system. */
export const pageColorRules =
  `:root{color-scheme:light dark;${pageColors.light}}` +
  `@media(prefers-color-scheme:dark){:root{${pageColors.dark}}}`
