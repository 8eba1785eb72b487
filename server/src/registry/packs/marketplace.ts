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

const listing = { listing_id: id('Your own id of the listing') }
const seller = { seller_id: id('Your own id of the selling side') }
const side = oneOf(['buyer', 'seller'], 'Which side of the market')
const listingFacts = {
  category: text('Category path'),
  price: money('Asking price'),
  currency,
  country: country('Where it is offered'),
  condition: oneOf(['new', 'like_new', 'used', 'refurbished', 'for_parts'], 'State of the goods'),
}
const booking = { booking_id: id('Your own id of the booking or order') }
const amounts = { amount: money('What the buyer pays'), currency }
const payout = {
  payout_id: id('Your own id of the payout'),
  ...seller,
  amount: money('What the seller is sent'),
  currency,
}
const dispute = { dispute_id: id('Your own id of the case'), ...booking }

export const marketplace: Pack = {
  key: 'marketplace',
  title: 'Marketplace',
  description:
    'Listings, search, messages between buyers and sellers, deals, payouts and reviews. Payments by buyers use the standard $purchase.',
  contracts: [
    contract(
      'seller_onboarding_step_completed',
      'A new seller finishes a step on the way to the first listing.',
      {
        owner: 'supply',
        category: 'Supply',
        required: {
          ...seller,
          step: oneOf(
            ['profile', 'identity', 'bank_account', 'tax', 'policies', 'first_listing'],
            'Which step',
          ),
        },
        optional: {
          seller_type: oneOf(['private', 'business'], 'What kind of seller'),
          country: country('Seat of the seller'),
        },
      },
    ),
    contract('seller_verified', 'A seller passes or fails verification.', {
      owner: 'trust',
      category: 'Supply',
      surfaces: onServer,
      purpose: 'security_storage',
      required: {
        ...seller,
        result: oneOf(['approved', 'rejected', 'more_information_needed'], 'What came out'),
      },
      optional: {
        reason: code('Why not, where it was not approved'),
        wait_hours: count('Hours from application to result'),
      },
    }),
    contract('listing_created', 'A seller creates a listing that is not public yet.', {
      owner: 'supply',
      category: 'Supply',
      required: { ...listing, ...seller },
      optional: {
        ...listingFacts,
        method: oneOf(['form', 'photo', 'bulk_upload', 'api', 'copy'], 'How it was made'),
      },
    }),
    contract('listing_published', 'A listing becomes public.', {
      owner: 'supply',
      category: 'Supply',
      required: { ...listing, ...seller },
      optional: {
        ...listingFacts,
        photo_count: count('Pictures'),
        quality_score: number('Your own score of completeness', { minimum: 0, maximum: 1 }),
      },
    }),
    contract('listing_ended', 'A listing is sold, removed or expired.', {
      owner: 'supply',
      category: 'Supply',
      surfaces: onServer,
      required: {
        ...listing,
        ...seller,
        reason: oneOf(['sold', 'expired', 'withdrawn', 'removed_by_moderation', 'out_of_stock'], 'Why'),
      },
      optional: { days_live: count('Days it could be bought'), view_count: count('Times it was seen') },
    }),
    contract('listing_viewed', 'A buyer opens a listing.', {
      owner: 'demand',
      category: 'Demand',
      surfaces: onClients,
      required: listing,
      optional: {
        ...seller,
        ...listingFacts,
        source: oneOf(
          ['search', 'category', 'recommendation', 'saved', 'seller_page', 'message', 'external'],
          'What led to it',
        ),
        position: position('Place in the list it was picked from'),
        promoted: flag('Whether the seller paid for that place'),
      },
    }),
    contract('listing_saved', 'A buyer saves a listing.', {
      owner: 'demand',
      category: 'Demand',
      required: listing,
      optional: { ...seller, category: listingFacts.category, price: listingFacts.price, currency },
    }),
    contract('search_alert_created', 'A buyer asks to be notified of new listings that match a search.', {
      owner: 'demand',
      category: 'Demand',
      required: { alert_id: id('Your own id of the alert') },
      optional: {
        query: freeText('What is searched for'),
        filters: listOf(
          record(required({ name: text('Facet'), value: text('Value chosen') }), 'One filter'),
          'Filters of the search',
        ),
        channel: oneOf(['email', 'push', 'sms'], 'How to be notified'),
      },
    }),
    contract('message_sent', 'A buyer or seller sends a message. Its text is not sent.', {
      owner: 'demand',
      category: 'Deal',
      required: { conversation_id: id('Your own id of the conversation'), sender_side: side },
      optional: {
        ...listing,
        first: flag('Whether it opens the conversation'),
        reply_ms: count('Time since the other side wrote'),
        attachment_count: count('Files sent along'),
      },
    }),
    contract('offer_made', 'A buyer or seller proposes a different price.', {
      owner: 'demand',
      category: 'Deal',
      required: { offer_id: id('Your own id of the offer'), ...listing, made_by: side, ...amounts },
      optional: {
        asking_price: listingFacts.price,
        round: position('Which offer in this negotiation'),
        expires_in_hours: count('How long it stands'),
      },
    }),
    contract('offer_answered', 'An offer is accepted, declined or countered.', {
      owner: 'demand',
      category: 'Deal',
      required: {
        offer_id: id('Your own id of the offer'),
        ...listing,
        answer: oneOf(['accepted', 'declined', 'countered', 'expired'], 'What was said'),
      },
      optional: { answered_by: side, wait_ms: count('Time from offer to answer') },
    }),
    contract(
      'booking_requested',
      'A buyer requests a purchase, booking or hire that the seller must confirm.',
      {
        owner: 'operations',
        category: 'Deal',
        required: { ...booking, ...listing, ...seller, ...amounts },
        optional: {
          starts_on: text('First day, as YYYY-MM-DD', { pattern: '^\\d{4}-\\d{2}-\\d{2}$' }),
          nights: count('Nights or days booked'),
          guests: count('People it is for'),
          instant: flag('Whether no consent is needed'),
        },
      },
    ),
    contract('booking_answered', 'A seller accepts or declines a request.', {
      owner: 'operations',
      category: 'Deal',
      required: {
        ...booking,
        ...seller,
        answer: oneOf(['accepted', 'declined', 'expired'], 'What was said'),
      },
      optional: { wait_ms: count('Time from request to answer'), reason: code('Why not') },
    }),
    contract('booking_cancelled', 'A confirmed booking is cancelled.', {
      owner: 'operations',
      category: 'Deal',
      required: { ...booking, cancelled_by: oneOf(['buyer', 'seller', 'marketplace'], 'Who called it off') },
      optional: {
        ...listing,
        ...amounts,
        refunded: money('What the buyer gets back'),
        days_before: number('Days before it would have begun'),
        reason: code('Why'),
      },
    }),
    contract('payout_sent', 'A payout to a seller is sent.', {
      owner: 'finance',
      category: 'Money',
      surfaces: onServer,
      required: payout,
      optional: {
        fee: money('Commission kept'),
        booking_count: count('Deals in it'),
        method: oneOf(['bank_transfer', 'card', 'wallet', 'instant'], 'How it travels'),
      },
    }),
    contract('payout_failed', 'A payout to a seller fails or is returned.', {
      owner: 'finance',
      category: 'Money',
      surfaces: onServer,
      required: {
        ...payout,
        reason: oneOf(
          ['account_closed', 'invalid_account', 'name_mismatch', 'limit', 'compliance', 'provider_error'],
          'Why',
        ),
      },
    }),
    contract('dispute_opened', 'A buyer or seller opens a dispute.', {
      owner: 'trust',
      category: 'Trust',
      required: {
        ...dispute,
        opened_by: side,
        reason: oneOf(
          ['not_received', 'not_as_described', 'damaged', 'counterfeit', 'no_show', 'unauthorised', 'other'],
          'What about',
        ),
      },
      optional: { ...amounts, days_after: count('Days since the deal') },
    }),
    contract('dispute_resolved', 'A dispute is resolved.', {
      owner: 'trust',
      category: 'Trust',
      required: { ...dispute, result: oneOf(['buyer', 'seller', 'split', 'withdrawn'], 'In whose favour') },
      optional: {
        refunded: money('What the buyer gets back'),
        currency,
        open_hours: count('How long it took'),
      },
    }),
    contract('counterparty_reviewed', 'A buyer or seller reviews the other.', {
      owner: 'trust',
      category: 'Trust',
      required: {
        ...booking,
        reviewer_side: side,
        rating: number('Stars given', { minimum: 1, maximum: 5 }),
      },
      optional: {
        ...seller,
        aspects: listOf(
          oneOf(['communication', 'accuracy', 'speed', 'packaging', 'cleanliness', 'value'], 'One aspect'),
          'What was singled out',
        ),
        has_text: flag('Whether words came with it'),
      },
    }),
    contract('content_reported', 'A user reports a listing, a message or a person.', {
      owner: 'trust',
      category: 'Trust',
      purpose: 'security_storage',
      required: {
        subject: oneOf(['listing', 'message', 'person', 'review'], 'What is reported'),
        subject_id: id('Id of it'),
        reason: oneOf(['prohibited', 'counterfeit', 'fraud', 'harassment', 'spam', 'unsafe', 'other'], 'Why'),
      },
      optional: { comment: freeText('What was said about it') },
    }),
  ],
}
