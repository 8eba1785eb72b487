import type { WebhookProvider } from '@assay/contract'

/** As each vendor writes itself. */
const names: Readonly<Record<WebhookProvider, string>> = {
  stripe: 'Stripe',
  shopify: 'Shopify',
  paddle: 'Paddle',
  lemonsqueezy: 'Lemon Squeezy',
  square: 'Square',
  adyen: 'Adyen',
  razorpay: 'Razorpay',
  polar: 'Polar',
  woocommerce: 'WooCommerce',
  revenuecat: 'RevenueCat',
  chargebee: 'Chargebee',
  clerk: 'Clerk',
  workos: 'WorkOS',
  auth0: 'Auth0',
  standard: 'Standard Webhooks',
  sendgrid: 'SendGrid',
  resend: 'Resend',
  hubspot: 'HubSpot',
  intercom: 'Intercom',
  typeform: 'Typeform',
  calendly: 'Calendly',
  calcom: 'Cal.com',
  github: 'GitHub',
  segment: 'Segment',
}

export const vendorName = (provider: WebhookProvider): string => names[provider]
