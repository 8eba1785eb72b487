import type { MappingRule, RuleOrigin } from './mapping.ts'
import { toSnakeCase } from './names.ts'

type Names = Readonly<Partial<Record<Exclude<RuleOrigin, 'custom'>, readonly string[]>>>
/** Canonical property → other names with exactly that meaning, the most precise first. */
type Synonyms = Readonly<Record<string, readonly string[]>>

const amountNames = [
  'total',
  'order_total',
  'grand_total',
  'total_price',
  'revenue',
  'value',
  '$revenue',
  'price',
]
const currencyNames = ['currency_code', 'currencyCode']
const orderNames = ['transaction_id', 'orderId', 'transactionId', 'order_number', 'Order ID']
const planNames = ['plan_name', 'plan_id', 'planName', 'tier', 'Plan']

/**
 * The default rules by target. Within a target, a name belongs to the tool that introduced it; the ten of the
 * specification come first. A synonym is listed only if it can mean nothing else: `url` is not a synonym of
 * `file_url`, because at /api/ingest it is the page.
 */
const targets: readonly { target: string; names: Names; synonyms: Synonyms }[] = [
  {
    target: '$purchase',
    names: {
      seed: ['order_completed'],
      kin: [
        'transaction',
        'buy_item',
        'checkout_success',
        'checkout_completed',
        'checkout_complete',
        'purchase_completed',
        'purchase_complete',
        'purchase_success',
        'purchased',
        'order_placed',
        'order_complete',
        'order_paid',
        'transaction_completed',
        'payment_completed',
        'payment_succeeded',
        'bought',
      ],
      ga4: ['purchase', 'in_app_purchase', 'ecommerce_purchase'],
      segment: ['Completed Order'],
      mixpanel: ['Item Purchased', 'Purchase Made'],
      amplitude: ['Complete Purchase', 'revenue_amount'],
    },
    synonyms: {
      amount: amountNames,
      currency: currencyNames,
      order_id: orderNames,
      items: ['products', 'line_items', 'lineItems', 'Items'],
      coupon: ['coupon_code', 'promo_code', 'discount_code', 'couponCode'],
    },
  },
  {
    target: '$signup',
    names: {
      seed: ['registration_complete'],
      kin: [
        'signup',
        'signup_completed',
        'signup_complete',
        'signup_success',
        'sign_up_completed',
        'registration_completed',
        'registered',
        'register',
        'user_registered',
        'user_signed_up',
        'user_created',
        'complete_registration',
      ],
      ga4: ['sign_up'],
      segment: ['Signed Up', 'Account Created'],
      mixpanel: ['Create Account'],
      amplitude: ['Completed Signup'],
    },
    synonyms: {
      method: [
        'sign_up_method',
        'signup_method',
        'registration_method',
        'auth_method',
        'auth_provider',
        'provider',
      ],
      plan: planNames,
      referral_code: ['referralCode', 'invite_code'],
    },
  },
  {
    target: '$login',
    names: {
      seed: ['user_login'],
      kin: ['signin', 'sign_in', 'login_success', 'login_completed', 'user_logged_in', 'user_signed_in'],
      ga4: ['login'],
      segment: ['Signed In'],
      mixpanel: ['Log In', 'Logged In'],
      amplitude: ['Sign In Completed'],
    },
    synonyms: {
      method: ['login_method', 'sign_in_method', 'auth_method', 'auth_provider', 'provider', 'Login Method'],
      two_factor: ['twoFactor', 'mfa', 'mfa_used'],
    },
  },
  {
    target: '$invite',
    names: {
      kin: ['invite', 'invitation_sent', 'user_invited', 'friend_invited', 'member_invited'],
      segment: ['Invite Sent'],
      mixpanel: ['Send Invite'],
      amplitude: ['Invite Friend'],
    },
    synonyms: {
      channel: ['method', 'invite_method', 'invite_channel', 'via'],
      invite_code: ['inviteCode', 'referral_code'],
    },
  },
  {
    target: '$upgrade',
    names: {
      seed: ['plan_upgraded'],
      kin: ['upgrade', 'upgraded', 'subscription_upgraded', 'account_upgraded'],
      mixpanel: ['Plan Upgrade'],
      amplitude: ['Upgrade Plan'],
    },
    synonyms: {
      from_plan: ['previous_plan', 'old_plan', 'fromPlan', 'previousPlan', 'oldPlan'],
      to_plan: ['new_plan', 'toPlan', 'newPlan', 'plan'],
      amount: ['revenue', 'value', 'price'],
      currency: currencyNames,
    },
  },
  {
    target: '$subscribe',
    names: {
      seed: ['subscription_started'],
      kin: ['subscribe', 'subscribed', 'subscription_created', 'subscription_activated', 'new_subscription'],
      ga4: ['app_store_subscription_convert'],
      mixpanel: ['Subscription Purchase'],
      amplitude: ['Start Subscription'],
    },
    synonyms: {
      plan: [...planNames, 'product_id'],
      amount: ['total', 'revenue', 'value', 'price', '$revenue'],
      currency: currencyNames,
      interval: ['billing_interval', 'billing_period', 'billing_cycle', 'billingInterval'],
      trial: ['is_trial', 'isTrial'],
    },
  },
  {
    target: '$refund',
    names: {
      kin: ['refunded', 'refund_issued', 'refund_created', 'payment_refunded', 'transaction_refunded'],
      ga4: ['refund', 'app_store_refund'],
      segment: ['Order Refunded'],
    },
    synonyms: {
      amount: ['refund_amount', 'refundAmount', ...amountNames],
      currency: currencyNames,
      order_id: orderNames,
      reason: ['refund_reason', 'refundReason'],
    },
  },
  {
    target: '$search',
    names: {
      seed: ['query_searched'],
      kin: ['searched', 'search_performed', 'search_submitted', 'site_search'],
      ga4: ['search', 'view_search_results'],
      segment: ['Products Searched'],
      mixpanel: ['Search Completed'],
      amplitude: ['Perform Search'],
    },
    synonyms: {
      query: ['search_term', 'search_query', 'searchTerm', 'searchQuery', 'keyword', 'q', 'term'],
      result_count: ['results_count', 'resultCount', 'num_results', 'number_of_results'],
    },
  },
  {
    target: '$download',
    names: {
      seed: ['file_downloaded'],
      kin: ['download', 'downloaded', 'download_completed'],
      ga4: ['file_download'],
      amplitude: ['[Amplitude] File Downloaded'],
    },
    synonyms: {
      file_url: ['link_url', 'download_url', 'fileUrl', 'Link URL', '[Amplitude] Link URL', 'file_name'],
      file_type: ['file_extension', 'extension', 'fileType', 'File Extension', '[Amplitude] File Extension'],
      file_size: ['fileSize', 'file_size_bytes'],
    },
  },
  {
    target: '$share',
    names: {
      seed: ['content_shared'],
      kin: ['shared', 'share_completed', 'article_shared', 'link_shared'],
      ga4: ['share'],
      segment: ['Product Shared', 'Cart Shared'],
      mixpanel: ['Share Content'],
    },
    synonyms: {
      channel: ['method', 'share_via', 'network', 'social_network', 'share_channel', 'shareVia'],
      content_id: ['item_id', 'product_id', 'article_id', 'contentId', 'cart_id'],
    },
  },
  {
    target: '$feedback',
    names: {
      seed: ['nps_submitted'],
      kin: [
        'feedback',
        'feedback_submitted',
        'review_submitted',
        'rating_submitted',
        'survey_submitted',
        'csat_submitted',
      ],
      segment: ['Product Reviewed'],
    },
    synonyms: {
      score: ['nps_score', 'nps', 'rating', 'stars', 'value'],
      comment: ['feedback_text', 'review_body', 'review', 'message'],
      type: ['feedback_type', 'survey_type'],
    },
  },
  {
    target: '$churn',
    names: {
      seed: ['account_cancelled'],
      kin: [
        'churn',
        'churned',
        'account_canceled',
        'account_closed',
        'subscription_cancelled',
        'subscription_canceled',
        'subscription_ended',
        'plan_cancelled',
        'plan_canceled',
      ],
      ga4: ['app_store_subscription_cancel'],
      segment: ['Account Deleted'],
    },
    synonyms: {
      reason: ['cancel_reason', 'cancellation_reason', 'churn_reason', 'cancelReason', 'cancellationReason'],
      plan: planNames,
      tenure_days: ['tenureDays', 'days_active'],
    },
  },
  {
    target: '$pageview',
    names: {
      kin: ['pageview', 'page', 'screen', 'screen_viewed', 'viewed_page'],
      ga4: ['page_view', 'screen_view'],
      segment: ['Page Viewed', 'Loaded a Page'],
      mixpanel: ['Viewed a Page'],
      amplitude: ['[Amplitude] Page Viewed', '[Amplitude] Screen Viewed'],
    },
    synonyms: {
      url: [
        'page_location',
        'page_url',
        'current_url',
        '$current_url',
        'pageUrl',
        'Page URL',
        '[Amplitude] Page Location',
        '[Amplitude] Screen Name',
        'screen_name',
      ],
      title: [
        'page_title',
        'pageTitle',
        'Page Title',
        '[Amplitude] Page Title',
        'current_page_title',
        'screen_class',
      ],
      referrer: ['page_referrer', '$referrer'],
    },
  },
  {
    target: '$session_start',
    names: { ga4: ['session_start'], kin: ['session_started'], amplitude: ['[Amplitude] Start Session'] },
    synonyms: {
      session_id: ['ga_session_id', 'sessionId'],
      landing_page: ['entry_page', 'landingPage'],
      utm_source: ['utmSource'],
    },
  },
  {
    target: '$session_end',
    names: { kin: ['session_end', 'session_ended'], amplitude: ['[Amplitude] End Session'] },
    synonyms: {
      session_id: ['ga_session_id', 'sessionId'],
      duration_ms: ['session_duration_ms', 'durationMs', 'engagement_time_msec'],
      page_count: ['pageCount', 'pages_viewed'],
    },
  },
  {
    target: '$identify',
    names: { kin: ['identify', 'user_identified'], mixpanel: ['Identify User'] },
    synonyms: {
      user_id: ['userId'],
      email: ['email_address'],
      name: ['full_name', 'fullName'],
      plan: ['plan_name'],
    },
  },
  {
    target: '$click',
    names: {
      kin: ['button_click', 'button_clicked', 'link_clicked', 'cta_clicked', 'element_click', 'clicked'],
      ga4: ['click'],
      amplitude: ['[Amplitude] Element Clicked', 'Element Clicked'],
    },
    synonyms: {
      element: [
        'element_id',
        'element_name',
        'button_id',
        'button_name',
        'link_id',
        'button',
        'cta',
        'link_url',
        '[Amplitude] Element ID',
        '[Amplitude] Element Tag',
      ],
      selector: ['css_selector', 'element_selector', '[Amplitude] Element Hierarchy'],
      text: ['button_text', 'link_text', 'element_text', 'label', '[Amplitude] Element Text'],
    },
  },
  {
    target: '$form_submit',
    names: {
      kin: ['form_submitted', 'form_submission', 'form_completed'],
      ga4: ['form_submit'],
      amplitude: ['[Amplitude] Form Submitted'],
    },
    synonyms: {
      form_id: ['formId', 'form', 'Form ID', '[Amplitude] Form ID'],
      form_name: ['formName', 'Form Name', '[Amplitude] Form Name'],
      field_count: ['fieldCount', 'fields_count'],
    },
  },
]

/** A rule's id consists of origin and source, so that it stays the same across releases and sites. */
function ruleOf(source: string, target: string, origin: RuleOrigin, synonyms: Synonyms): MappingRule {
  const propertyMap: Record<string, string> = {}
  for (const [property, others] of Object.entries(synonyms)) {
    for (const other of others) propertyMap[other] ??= property
  }
  const slug = toSnakeCase(source).replace(/[^a-z0-9_]/g, '')
  return { id: `map_${origin}_${slug}`, source, target, propertyMap, origin }
}

const origins = ['seed', 'kin', 'ga4', 'segment', 'mixpanel', 'amplitude'] as const

/** The rules of every new site; each can be edited or disabled. */
export const defaultRules: readonly MappingRule[] = origins.flatMap((origin) =>
  targets.flatMap(({ target, names, synonyms }) =>
    (names[origin] ?? []).map((source) => ruleOf(source, target, origin, synonyms)),
  ),
)
