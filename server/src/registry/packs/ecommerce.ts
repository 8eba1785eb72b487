import type { Pack } from './pack.ts'
import {
  code,
  contract,
  count,
  country,
  currency,
  flag,
  freeText,
  id,
  listOf,
  money,
  number,
  onClients,
  oneOf,
  onServer,
  position,
  record,
  required,
  text,
} from './rules.ts'

const productFacts = {
  sku: id('Stock keeping unit of the variant'),
  name: text('Name of the product as shown'),
  brand: text('Brand of the product'),
  category: text('Category path, such as `Shoes / Running`'),
  variant: text('Size, colour or other choice, such as `42 / black`'),
  price: money('Price of one piece'),
}

const product = { product_id: id('Your own id of the product') }

const line = record(
  {
    ...required({
      ...product,
      quantity: number('Pieces of it', { minimum: 1 }),
      price: money('Price of one piece'),
    }),
    sku: productFacts.sku,
    name: productFacts.name,
    variant: productFacts.variant,
    discount: money('Taken off the line, over all pieces'),
  },
  'One line of the cart',
)
const lines = listOf(line, 'What is in the cart')

const cart = { cart_id: id('Your own id of the cart; the same until it is bought or abandoned') }
const cartValue = { value: money('Worth of the cart after discounts, before shipping and tax'), currency }
const checkout = { checkout_id: id('Your own id of this run through the checkout') }
const order = { order_id: id('Your own id of the order, as in `$purchase`') }

const paymentMethod = oneOf(
  [
    'card',
    'paypal',
    'apple_pay',
    'google_pay',
    'bank_transfer',
    'direct_debit',
    'invoice',
    'instalments',
    'gift_card',
    'cash_on_delivery',
    'other',
  ],
  'How the shopper means to pay',
)
const list = {
  list_id: id('Which list: a category, a search result, a recommendation slot'),
  position: position('Place of the product in the list'),
}

export const ecommerce: Pack = {
  key: 'ecommerce',
  title: 'E-commerce',
  description: 'Product discovery, cart, checkout, shipping and returns. Sales use the standard $purchase.',
  contracts: [
    contract(
      'product_list_viewed',
      'A shopper sees a list of products: a category, a collection or a recommendation slot.',
      {
        owner: 'merchandising',
        category: 'Discovery',
        surfaces: onClients,
        required: { list_id: list.list_id },
        optional: {
          category: text('Category the list shows'),
          products: listOf(
            record(
              {
                ...required(product),
                position: list.position,
                price: productFacts.price,
                in_stock: flag('Whether it can be bought now'),
              },
              'One product of the list',
            ),
            'Products that came into view',
          ),
          result_count: count('Products in the whole list'),
          currency,
        },
      },
    ),
    contract('product_list_filtered', 'A shopper narrows or sorts a list of products.', {
      owner: 'merchandising',
      category: 'Discovery',
      surfaces: onClients,
      required: { list_id: list.list_id },
      optional: {
        filters: listOf(
          record(
            required({ name: text('Facet, such as `colour`'), value: text('Value chosen') }),
            'One filter',
          ),
          'All active filters',
        ),
        sort_by: oneOf(
          ['relevance', 'price_ascending', 'price_descending', 'newest', 'rating', 'popularity'],
          'Order chosen',
        ),
        result_count: count('Products left'),
      },
    }),
    contract('product_clicked', 'A shopper selects a product in a list.', {
      owner: 'merchandising',
      category: 'Discovery',
      surfaces: onClients,
      required: { ...product, list_id: list.list_id },
      optional: { ...productFacts, position: list.position, currency },
    }),
    contract('product_viewed', 'A shopper opens the page of one product.', {
      owner: 'merchandising',
      category: 'Discovery',
      surfaces: onClients,
      required: product,
      optional: {
        ...productFacts,
        currency,
        availability: oneOf(
          ['in_stock', 'low_stock', 'preorder', 'out_of_stock'],
          'What the page said about stock',
        ),
        rating: number('Average rating shown', { minimum: 0, maximum: 5 }),
        review_count: count('Reviews shown'),
      },
    }),
    contract('product_added', 'A product is added to the cart.', {
      owner: 'conversion',
      category: 'Cart',
      required: { ...cart, ...product, quantity: number('Pieces added', { minimum: 1 }) },
      optional: {
        ...productFacts,
        currency,
        source: oneOf(
          ['product_page', 'list', 'quick_view', 'wishlist', 'reorder', 'recommendation'],
          'Where it was added from',
        ),
      },
    }),
    contract('product_removed', 'A product is removed from the cart.', {
      owner: 'conversion',
      category: 'Cart',
      required: { ...cart, ...product, quantity: number('Pieces removed', { minimum: 1 }) },
      optional: { ...productFacts, currency },
    }),
    contract('cart_viewed', 'A shopper opens the cart.', {
      owner: 'conversion',
      category: 'Cart',
      surfaces: onClients,
      required: { ...cart, ...cartValue },
      optional: { items: lines },
    }),
    contract('product_added_to_wishlist', 'A product is saved for later.', {
      owner: 'conversion',
      category: 'Cart',
      required: product,
      optional: { ...productFacts, currency, wishlist_id: id('Which wish list') },
    }),
    contract('stock_alert_requested', 'A shopper asks to be notified when a product is back in stock.', {
      owner: 'merchandising',
      category: 'Discovery',
      required: product,
      optional: {
        sku: productFacts.sku,
        variant: productFacts.variant,
        channel: oneOf(['email', 'sms', 'push'], 'How to be notified'),
      },
    }),
    contract('coupon_applied', 'A coupon is entered and accepted.', {
      owner: 'promotions',
      category: 'Checkout',
      required: { ...cart, coupon: text('Code as entered'), discount: money('Taken off the cart'), currency },
      optional: { promotion_id: id('Promotion the code belongs to') },
    }),
    contract('coupon_denied', 'A coupon is entered and rejected.', {
      owner: 'promotions',
      category: 'Checkout',
      required: {
        ...cart,
        coupon: text('Code as entered'),
        reason: oneOf(
          ['unknown', 'expired', 'minimum_not_reached', 'not_combinable', 'already_used', 'not_eligible'],
          'Why it was refused',
        ),
      },
    }),
    contract('checkout_started', 'A shopper starts checkout.', {
      owner: 'conversion',
      category: 'Checkout',
      required: { ...checkout, ...cart, ...cartValue },
      optional: { items: lines, guest: flag('Whether without an account') },
    }),
    contract(
      'checkout_step_completed',
      'One step of the checkout is done. The steps make the checkout funnel.',
      {
        owner: 'conversion',
        category: 'Checkout',
        required: {
          ...checkout,
          step: oneOf(['contact', 'address', 'shipping', 'payment', 'review'], 'Which step'),
        },
        optional: {
          shipping_method: oneOf(
            ['standard', 'express', 'pickup_point', 'in_store', 'digital'],
            'Delivery chosen, once it is',
          ),
          shipping_cost: money('Price of the delivery'),
          currency,
          payment_method: paymentMethod,
          country: country('Where the order goes'),
        },
      },
    ),
    contract('payment_declined', 'The payment of an order is declined.', {
      owner: 'payments',
      category: 'Checkout',
      required: {
        ...checkout,
        payment_method: paymentMethod,
        reason: code('Reason given by the payment provider'),
      },
      optional: {
        amount: money('What was to be paid'),
        currency,
        attempt: position('Which attempt in this checkout'),
      },
    }),
    contract('order_cancelled', 'An order is cancelled before delivery.', {
      owner: 'operations',
      category: 'After the order',
      surfaces: onServer,
      required: {
        ...order,
        cancelled_by: oneOf(['customer', 'merchant', 'payment_provider', 'fraud_check'], 'Who called it off'),
        amount: money('Worth of the order'),
        currency,
      },
      optional: { reason: freeText('Why') },
    }),
    contract('shipment_updated', 'The shipping status of a parcel changes.', {
      owner: 'operations',
      category: 'After the order',
      surfaces: onServer,
      required: {
        ...order,
        shipment_id: id('Your own id of the parcel; an order may have several'),
        status: oneOf(
          [
            'packed',
            'handed_over',
            'in_transit',
            'out_for_delivery',
            'delivered',
            'delivery_failed',
            'returned_to_sender',
          ],
          'State now reached',
        ),
      },
      optional: {
        carrier: text('Who carries it'),
        promised_at: text('Delivery day promised at checkout, as YYYY-MM-DD', {
          pattern: '^\\d{4}-\\d{2}-\\d{2}$',
        }),
      },
    }),
    contract('return_requested', 'A customer requests a return.', {
      owner: 'operations',
      category: 'After the order',
      required: {
        ...order,
        reason: oneOf(
          ['size', 'quality', 'damaged', 'wrong_item', 'not_as_described', 'late', 'changed_mind', 'other'],
          'Main reason',
        ),
      },
      optional: {
        items: listOf(
          record(
            required({ ...product, quantity: number('Pieces coming back', { minimum: 1 }) }),
            'One article',
          ),
          'What comes back; all of the order when absent',
        ),
        resolution: oneOf(['refund', 'exchange', 'store_credit'], 'What the customer wants'),
        comment: freeText('What the customer wrote'),
      },
    }),
  ],
}
