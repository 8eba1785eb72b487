/**
 * How far in the shop an event is: 3 checkout or payment, 2 cart, 1 product, 0 anything else, which leaves a session
 * where it was. What the event is called comes first, then the words of its path; the words are those of English,
 * Turkish, German, French and Spanish shops. The expressions mean the same to RE2 and to JavaScript.
 */
const checkoutWords =
  'checkout|payment|payments|pay|billing|shipping|odeme|kasse|zahlung|paiement|commande|pago|caja'
const cartWords = 'cart|basket|bag|sepet|sepetim|warenkorb|panier|carrito|add[-_]?to[-_]?cart'
const productWords = 'product|products|item|items|p|dp|urun|produkt|produit|producto'

type StageExpression = { expression: string; stage: 1 | 2 | 3 }

/** Of the name of an event that is not one of our own. The first that fits decides. */
export const nameStages: readonly StageExpression[] = [
  { expression: 'checkout|payment|billing|shipping', stage: 3 },
  { expression: 'cart|basket', stage: 2 },
  { expression: 'product_view|view_product|view_item|product_detail', stage: 1 },
]

/** Of the path in lower case. The first that fits decides. */
export const pathStages: readonly StageExpression[] = [
  { expression: `/(${checkoutWords}|order/(review|confirm))(/|$)`, stage: 3 },
  { expression: `/(${cartWords})(/|$)`, stage: 2 },
  { expression: `/(${productWords})/[^/]+`, stage: 1 },
]

const compiled = (stages: readonly StageExpression[]) =>
  stages.map(({ expression, stage }) => ({ expression: new RegExp(expression), stage }))
const [names, paths] = [compiled(nameStages), compiled(pathStages)]

/** The stage that a name says; null where the path does. */
export function stageOfName(name: string): number | null {
  if (name === '$purchase') return 3
  if (name.startsWith('$') || name === 'error') return null
  return names.find(({ expression }) => expression.test(name))?.stage ?? null
}

/** The store makes only the letters of ASCII small. */
export function stageOfPath(path: string): number {
  const small = path.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
  return paths.find(({ expression }) => expression.test(small))?.stage ?? 0
}
