/**
 * How far in the shop an event is, as SQL: 3 checkout or payment, 2 cart, 1 product, 0 anything else, which leaves a
 * session where it was. What the event is called comes first, then the words of its path; the words are those of
 * English, Turkish, German, French and Spanish shops.
 */
const checkoutWords =
  'checkout|payment|payments|pay|billing|shipping|odeme|kasse|zahlung|paiement|commande|pago|caja'
const cartWords = 'cart|basket|bag|sepet|sepetim|warenkorb|panier|carrito|add[-_]?to[-_]?cart'
const productWords = 'product|products|item|items|p|dp|urun|produkt|produit|producto'

export const stageExpression = `multiIf(
      name = '$purchase', 3,
      startsWith(name, '$') OR name = 'error', ${byPath()},
      match(name, 'checkout|payment|billing|shipping'), 3,
      match(name, 'cart|basket'), 2,
      match(name, 'product_view|view_product|view_item|product_detail'), 1,
      ${byPath()})`

/** Paths repeat: put into a dictionary, each is looked at once in every block of events. */
function byPath(): string {
  const path = 'lower(toLowCardinality(path))'
  return `multiIf(
        match(${path}, '/(${checkoutWords}|order/(review|confirm))(/|$)'), 3,
        match(${path}, '/(${cartWords})(/|$)'), 2,
        match(${path}, '/(${productWords})/[^/]+'), 1, 0)`
}
