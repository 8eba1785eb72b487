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
  money,
  number,
  onClients,
  oneOf,
  onServer,
  percent,
  position,
  text,
} from './rules.ts'

/** Account and card numbers are personal data: what is asked for is always the sender's own id. */
const accountId = text('Your own id of the account; never an IBAN or account number', {
  pattern: '^\\S+$',
  pii: 'deny',
})
const cardId = text('Your own id of the card; never the card number', { pattern: '^\\S+$', pii: 'deny' })
const product = oneOf(
  [
    'current_account',
    'savings',
    'card',
    'loan',
    'mortgage',
    'investment',
    'insurance',
    'crypto',
    'business_account',
  ],
  'What kind of product',
)
const application = { application_id: id('Your own id of the application'), product }
const amounts = { amount: money('Amount'), currency }
const transfer = {
  transfer_id: id('Your own id of the transfer'),
  rail: oneOf(
    [
      'internal',
      'sepa',
      'sepa_instant',
      'swift',
      'ach',
      'wire',
      'faster_payments',
      'card',
      'wallet',
      'crypto',
    ],
    'How it travels',
  ),
  ...amounts,
}
const transferFacts = {
  account_id: accountId,
  direction: oneOf(['in', 'out', 'own'], 'Whether it comes in, goes out or moves between own accounts'),
  fee: money('Charged for it'),
  destination_country: country('Where it goes'),
  recurring: flag('Whether by standing order'),
}
const loan = { loan_id: id('Your own id of the loan') }

export const fintech: Pack = {
  key: 'fintech',
  title: 'Fintech and banking',
  description:
    'Onboarding, accounts, transfers, cards, credit, investing and security, without account numbers, card numbers, names or exact balances.',
  contracts: [
    contract('application_started', 'A customer starts an application for a product.', {
      owner: 'onboarding',
      category: 'Application',
      required: application,
      optional: {
        source: code('What led here'),
        existing_customer: flag('Whether they hold another product'),
        country: country('Residence'),
      },
    }),
    contract('application_step_completed', 'A step of an application is completed.', {
      owner: 'onboarding',
      category: 'Application',
      required: {
        ...application,
        step: oneOf(
          [
            'personal_details',
            'address',
            'employment',
            'income',
            'tax_residence',
            'documents',
            'identity',
            'terms',
            'funding',
          ],
          'Which step',
        ),
      },
      optional: {
        position: position('Place of the step'),
        duration_ms: count('Time spent on it'),
        error_count: count('Times the form complained'),
      },
    }),
    contract(
      'identity_check_completed',
      'The check of a person’s identity has a result. Names and numbers stay with the provider.',
      {
        owner: 'compliance',
        category: 'Application',
        surfaces: onServer,
        purpose: 'security_storage',
        required: {
          check_id: id('Your own id of the check'),
          method: oneOf(
            ['document', 'video', 'bank', 'electronic_id', 'in_person', 'database'],
            'How it was done',
          ),
          result: oneOf(['passed', 'failed', 'manual_review', 'abandoned'], 'What came out'),
        },
        optional: {
          application_id: application.application_id,
          provider: text('Who did the check'),
          document_type: oneOf(
            ['passport', 'identity_card', 'driving_licence', 'residence_permit'],
            'Paper shown',
          ),
          document_country: country('Who issued the paper'),
          attempt: position('Which attempt'),
          reason: code('Why not, where it did not pass'),
        },
      },
    ),
    contract('application_decided', 'An application is approved, declined or sent for manual review.', {
      owner: 'risk',
      category: 'Application',
      surfaces: onServer,
      required: {
        ...application,
        decision: oneOf(['approved', 'declined', 'referred', 'withdrawn'], 'What was decided'),
      },
      optional: {
        automated: flag('Whether no person took part'),
        reason: code('Main reason, as given to the customer'),
        decision_ms: count('Time from submission to decision'),
      },
    }),
    contract('account_opened', 'An account is opened and ready to use.', {
      owner: 'onboarding',
      category: 'Accounts',
      surfaces: onServer,
      required: { account_id: accountId, product, currency },
      optional: { application_id: application.application_id, joint: flag('Whether several people hold it') },
    }),
    contract('external_account_linked', 'A customer connects an account at another bank.', {
      owner: 'payments',
      category: 'Accounts',
      required: {
        link_id: id('Your own id of the connection'),
        method: oneOf(['open_banking', 'micro_deposit', 'manual', 'card'], 'How it was proved'),
      },
      optional: {
        institution: text('Which bank'),
        country: country('Bank of the account'),
        provider: text('Who made the connection'),
      },
    }),
    contract(
      'account_funded',
      'Money arrives on an account from outside; the first time is what counts as activation.',
      {
        owner: 'growth',
        category: 'Accounts',
        surfaces: onServer,
        required: {
          account_id: accountId,
          ...amounts,
          first: flag('Whether it is the first money on the account'),
        },
        optional: {
          method: oneOf(
            ['bank_transfer', 'card', 'direct_debit', 'salary', 'cash', 'cheque', 'crypto'],
            'How it came',
          ),
        },
      },
    ),
    contract('transfer_initiated', 'A customer starts a transfer.', {
      owner: 'payments',
      category: 'Payments',
      required: transfer,
      optional: {
        ...transferFacts,
        new_recipient: flag('Whether never paid before'),
        scheduled: flag('Whether for a later day'),
      },
    }),
    contract('transfer_completed', 'A transfer has arrived.', {
      owner: 'payments',
      category: 'Payments',
      surfaces: onServer,
      required: transfer,
      optional: { ...transferFacts, settlement_ms: count('Time from order to arrival') },
    }),
    contract('transfer_failed', 'A transfer did not arrive.', {
      owner: 'payments',
      category: 'Payments',
      surfaces: onServer,
      required: {
        ...transfer,
        reason: oneOf(
          [
            'insufficient_funds',
            'limit_exceeded',
            'invalid_recipient',
            'name_mismatch',
            'blocked_by_compliance',
            'suspected_fraud',
            'returned',
            'provider_error',
          ],
          'Why',
        ),
      },
      optional: transferFacts,
    }),
    contract('card_status_changed', 'A card is ordered, activated, frozen or closed.', {
      owner: 'cards',
      category: 'Cards',
      required: {
        card_id: cardId,
        status: oneOf(
          ['ordered', 'activated', 'frozen', 'unfrozen', 'reported_lost', 'replaced', 'closed'],
          'State now reached',
        ),
      },
      optional: {
        card_type: oneOf(['debit', 'credit', 'prepaid', 'virtual'], 'What kind of card'),
        changed_by: oneOf(['customer', 'bank', 'fraud_check'], 'Who changed it'),
      },
    }),
    contract('card_payment_authorised', 'A card payment is authorised or declined.', {
      owner: 'cards',
      category: 'Cards',
      surfaces: onServer,
      required: { card_id: cardId, ...amounts, approved: flag('Whether it may') },
      optional: {
        decline_reason: code('Why not'),
        merchant_category: text('ISO 18245 merchant category code', { pattern: '^\\d{4}$' }),
        merchant_country: country('Where the shop is'),
        entry: oneOf(
          ['chip', 'contactless', 'magnetic_stripe', 'online', 'wallet', 'atm', 'recurring'],
          'How the card was shown',
        ),
      },
    }),
    contract('wallet_card_added', 'A card is added to a phone or watch.', {
      owner: 'cards',
      category: 'Cards',
      surfaces: onClients,
      required: {
        card_id: cardId,
        wallet: oneOf(['apple_pay', 'google_pay', 'samsung_pay', 'garmin_pay', 'other'], 'Which wallet'),
      },
    }),
    contract('loan_quoted', 'A customer sees a loan offer.', {
      owner: 'lending',
      category: 'Credit',
      required: {
        quote_id: id('Your own id of the quote'),
        ...amounts,
        term_months: number('Length', { minimum: 1 }),
      },
      optional: {
        annual_rate_percent: percent('Effective annual rate shown'),
        instalment: money('Paid each month'),
        purpose: code('What the loan is for, from your own list'),
        soft_check: flag('Whether the credit bureau was asked without leaving a mark'),
      },
    }),
    contract('loan_repaid', 'A loan instalment is paid or missed.', {
      owner: 'lending',
      category: 'Credit',
      surfaces: onServer,
      required: {
        ...loan,
        ...amounts,
        result: oneOf(['paid', 'paid_late', 'missed', 'paid_off'], 'What happened'),
      },
      optional: {
        instalment_number: position('Which instalment'),
        days_late: count('Days after the day it was due'),
      },
    }),
    contract('investment_order_placed', 'A customer places a buy or sell order.', {
      owner: 'investing',
      category: 'Investing',
      required: {
        investment_order_id: id('Your own id of the order'),
        side: oneOf(['buy', 'sell'], 'Which way'),
        asset_class: oneOf(['equity', 'fund', 'bond', 'crypto', 'commodity', 'option'], 'What kind of asset'),
        ...amounts,
      },
      optional: {
        isin: text('ISIN of the asset, where it has one', { pattern: '^[A-Z]{2}[A-Z0-9]{9}[0-9]$' }),
        order_type: oneOf(['market', 'limit', 'stop', 'savings_plan'], 'Kind of order'),
        quantity: number('Pieces, also fractions', { minimum: 0 }),
      },
    }),
    contract('security_challenge_answered', 'A customer answers a security challenge.', {
      owner: 'security',
      category: 'Security',
      purpose: 'security_storage',
      required: {
        challenge: oneOf(
          ['otp_sms', 'otp_app', 'push_approval', 'biometric', 'passkey', 'pin', 'three_d_secure'],
          'How',
        ),
        result: oneOf(['passed', 'failed', 'expired', 'abandoned'], 'What came out'),
      },
      optional: {
        trigger: oneOf(
          ['login', 'payment', 'new_device', 'settings_change', 'card_online'],
          'What it guards',
        ),
        attempt: position('Which attempt'),
        duration_ms: count('Time taken'),
      },
    }),
    contract('fraud_alert_raised', 'Suspected fraud is detected.', {
      owner: 'security',
      category: 'Security',
      surfaces: onServer,
      purpose: 'security_storage',
      required: {
        alert_id: id('Your own id of the alert'),
        subject: oneOf(['login', 'transfer', 'card_payment', 'application', 'device'], 'What looks wrong'),
        action: oneOf(['allowed', 'challenged', 'held', 'blocked'], 'What was done at once'),
      },
      optional: {
        score: number('Score of the model', { minimum: 0, maximum: 1 }),
        rule: code('Which rule or model'),
        confirmed: flag('Whether a person has confirmed it'),
      },
    }),
    contract('complaint_filed', 'A customer files a formal complaint.', {
      owner: 'compliance',
      category: 'Security',
      required: {
        complaint_id: id('Your own id of the complaint'),
        topic: oneOf(
          ['fees', 'service', 'fraud', 'declined', 'delay', 'data_protection', 'mis_selling', 'other'],
          'What about',
        ),
      },
      optional: {
        channel: oneOf(['app', 'web', 'email', 'phone', 'post', 'branch'], 'How it came'),
        summary: freeText('In one sentence, without names'),
      },
    }),
  ],
}
