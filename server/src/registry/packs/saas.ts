import type { Pack } from './pack.ts'
import {
  code,
  contract,
  count,
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
  percent,
  position,
  text,
} from './rules.ts'

const account = { account_id: id('Your own id of the customer account (company, team, workspace)') }
const plan = text('Plan by the name your price list uses, such as `team`')
const role = oneOf(['owner', 'admin', 'member', 'viewer', 'guest', 'billing'], 'What the person may do')
const subscription = { subscription_id: id('Your own id of the subscription') }
const interval = oneOf(['month', 'quarter', 'year'], 'How often is billed')
const integration = text('Which product is on the other side, such as `slack`')

export const saas: Pack = {
  key: 'saas',
  title: 'SaaS',
  description:
    'Activation, usage, team growth and recurring revenue. Sign-up, subscription, upgrade and churn use the standard $signup, $subscribe, $upgrade and $churn.',
  contracts: [
    contract('workspace_created', 'A customer sets up a workspace, organisation or project space.', {
      owner: 'growth',
      category: 'Activation',
      required: account,
      optional: {
        template: text('Template it was made from'),
        team_size: oneOf(
          ['1', '2-10', '11-50', '51-200', '201-1000', '1001+'],
          'Size stated by the customer',
        ),
        use_case: text('What they said they need it for, from your own list'),
      },
    }),
    contract('onboarding_step_completed', 'A step of the setup guide is completed or skipped.', {
      owner: 'growth',
      category: 'Activation',
      required: {
        step: code('Which step, by a name that survives reordering'),
        skipped: flag('Whether it was passed over'),
      },
      optional: {
        ...account,
        position: position('Place of the step in the guide'),
        duration_ms: count('Time spent on it'),
      },
    }),
    contract(
      'activation_reached',
      'An account reaches its first success with the product. Send it from the server.',
      {
        owner: 'growth',
        category: 'Activation',
        surfaces: onServer,
        required: { ...account, milestone: code('Which promise was kept, such as `first_report_shared`') },
        optional: { days_since_signup: count('Days since the account was made') },
      },
    ),
    contract('trial_started', 'A trial begins.', {
      owner: 'monetisation',
      category: 'Revenue',
      required: { ...account, plan, trial_days: number('Length of the trial', { minimum: 1 }) },
      optional: { card_required: flag('Whether a card had to be given') },
    }),
    contract('trial_ended', 'A trial converts, expires or is cancelled.', {
      owner: 'monetisation',
      category: 'Revenue',
      surfaces: onServer,
      required: {
        ...account,
        plan,
        result: oneOf(['converted', 'expired', 'cancelled', 'extended'], 'How it ended'),
      },
      optional: { active_days: count('Days with any use during the trial') },
    }),
    contract('feature_used', 'A feature is used. Keep the list of features short and stable.', {
      owner: 'product',
      category: 'Use',
      required: { feature: code('Which feature') },
      optional: {
        ...account,
        action: code('What was done with it, such as `create` or `export`'),
        source: oneOf(['ui', 'shortcut', 'api', 'automation', 'mobile'], 'How it was reached'),
        duration_ms: count('How long it took'),
      },
    }),
    contract('report_exported', 'A report is exported as a file.', {
      owner: 'product',
      category: 'Use',
      required: {
        report: code('Which report'),
        format: oneOf(['csv', 'xlsx', 'pdf', 'json', 'png'], 'As what'),
      },
      optional: { ...account, row_count: count('Rows in it'), scheduled: flag('Whether sent by a schedule') },
    }),
    contract('integration_connected', 'A connection to another product works for the first time.', {
      owner: 'platform',
      category: 'Use',
      required: { ...account, integration },
      optional: {
        direction: oneOf(['inbound', 'outbound', 'both'], 'Which way data flows'),
        scopes: listOf(code('One permission'), 'Permissions granted'),
      },
    }),
    contract('integration_failed', 'A working connection fails.', {
      owner: 'platform',
      category: 'Use',
      surfaces: onServer,
      required: {
        ...account,
        integration,
        reason: oneOf(
          ['expired_credentials', 'revoked', 'rate_limited', 'remote_error', 'invalid_configuration'],
          'Why',
        ),
      },
      optional: { http_status: number('What the other side answered', { minimum: 100, maximum: 599 }) },
    }),
    contract('api_key_created', 'An API key is created.', {
      owner: 'platform',
      category: 'Use',
      purpose: 'security_storage',
      required: { ...account, environment: oneOf(['live', 'test'], 'What it opens') },
      optional: {
        scopes: listOf(code('One permission'), 'Permissions of the key'),
        expires_in_days: count('Lifetime; absent when it never ends'),
      },
    }),
    contract('account_added_user', 'A person joins an account.', {
      owner: 'growth',
      category: 'Team',
      required: { ...account, role },
      optional: {
        source: oneOf(
          ['invite', 'domain_join', 'sso', 'directory_sync', 'created_by_admin'],
          'How they came in',
        ),
        member_count: count('People in the account afterwards'),
      },
    }),
    contract('account_removed_user', 'A person leaves an account.', {
      owner: 'growth',
      category: 'Team',
      required: account,
      optional: {
        role,
        removed_by: oneOf(['self', 'admin', 'directory_sync'], 'Who removed them'),
        member_count: count('People in the account afterwards'),
      },
    }),
    contract('usage_limit_reached', 'An account reaches a limit of its plan.', {
      owner: 'monetisation',
      category: 'Revenue',
      required: { ...account, limit: code('Which limit, such as `seats` or `events_per_month`') },
      optional: {
        plan,
        used_percent: percent('How much of it is used'),
        blocked: flag('Whether work stopped because of it'),
      },
    }),
    contract('subscription_renewed', 'A subscription is paid for one more interval.', {
      owner: 'finance',
      category: 'Revenue',
      surfaces: onServer,
      required: {
        ...account,
        ...subscription,
        plan,
        interval,
        amount: money('Paid for the interval'),
        currency,
      },
      optional: { seat_count: count('Seats paid for'), renewal_number: position('Which renewal it is') },
    }),
    contract('plan_downgraded', 'An account moves to a cheaper plan.', {
      owner: 'monetisation',
      category: 'Revenue',
      required: { ...account, from_plan: plan, to_plan: plan },
      optional: {
        amount: money('New price of an interval'),
        currency,
        interval,
        reason: freeText('Why, as the customer put it'),
      },
    }),
    contract('invoice_payment_failed', 'A recurring payment fails.', {
      owner: 'finance',
      category: 'Revenue',
      surfaces: onServer,
      required: {
        ...account,
        ...subscription,
        amount: money('What was due'),
        currency,
        attempt: position('Which attempt on this invoice'),
      },
      optional: {
        reason: code('Reason given by the payment provider'),
        final: flag('Whether no further attempt follows'),
      },
    }),
    contract(
      'cancellation_started',
      'A customer starts to cancel. The cancellation itself is the standard $churn.',
      {
        owner: 'retention',
        category: 'Retention',
        surfaces: onClients,
        required: {
          ...account,
          reason: oneOf(
            [
              'price',
              'missing_feature',
              'too_complex',
              'switched',
              'not_used',
              'bugs',
              'business_closed',
              'other',
            ],
            'Reason ticked',
          ),
        },
        optional: {
          plan,
          offer: oneOf(['discount', 'pause', 'downgrade', 'call', 'none'], 'What was offered to stay'),
          offer_accepted: flag('Whether the offer was taken'),
          comment: freeText('What they wrote'),
        },
      },
    ),
    contract('support_ticket_opened', 'A customer asks for help.', {
      owner: 'support',
      category: 'Retention',
      required: {
        ticket_id: id('Your own id of the ticket'),
        channel: oneOf(['in_app', 'email', 'chat', 'phone', 'community'], 'How they asked'),
      },
      optional: {
        ...account,
        topic: code('What it is about'),
        priority: oneOf(['low', 'normal', 'high', 'urgent'], 'How much it matters'),
      },
    }),
  ],
}
