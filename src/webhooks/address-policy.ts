import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { AddressFault } from '../domain/problem.ts';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/**
 * The range of IPv6 addresses that are assigned to the public. ipaddr.js counts many others as unicast, such as
 * `::127.0.0.1`.
 */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3');
/**
 * The prefix with which IPv6-only networks reach IPv4 addresses. https://www.rfc-editor.org/rfc/rfc6052.html#section-2.1
 */
const NAT64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96');
/**
 * A public address by number, but inside Azure it answers each machine with information that only this machine may know.
 */
const AZURE_PLATFORM = '168.63.129.16';

/**
 * Returns which addresses webhooks may be sent to.
 * @param networks CIDRs of further networks that webhooks may be sent to, even over http
 */
export function createAddressPolicy(networks: readonly string[]) {
  const listed = networks.map(parsedNetwork);
  const isListed = (address: Address) =>
    listed.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits));

  /**
   * Returns why nothing may be sent to an IP address; null if there is no reason.
   * @param text as a resolver or a socket returns it
   */
  const faultOfIp = (text: string, protocol: string): AddressFault | null => {
    if (isIP(text) === 0) return 'address_not_allowed';
    const address = unwrapped(ipaddr.parse(text));
    if (isListed(address)) return null;
    if (!isPublic(address)) return 'address_not_allowed';
    return protocol === 'https:' ? null : 'not_https';
  };

  return {
    faultOfIp,
    /** Returns why nothing may be sent to a URL, as far as that can be said without DNS; null if there is no reason. */
    faultOfUrl(text: string): AddressFault | null {
      const url = URL.parse(text);
      if (!url || !/^https?:$/.test(url.protocol)) return 'not_web_address';
      if (url.username || url.password) return 'has_credentials';
      const faults = literalsOf(url.hostname).map((literal) => faultOfIp(literal, url.protocol));
      if (faults.length > 0) return faults.includes(null) ? null : (faults[0] as AddressFault);
      return url.protocol === 'https:' || listed.length > 0 ? null : 'not_https';
    },
  };
}

/**
 * Returns the addresses of a host that needs no DNS: an IP address, or localhost; none for other names. For IP addresses,
 * Node.js does not call `lookup`.
 */
export function literalsOf(hostname: string): string[] {
  if (/^(.+\.)?localhost\.?$/.test(hostname)) return ['127.0.0.1', '::1'];
  const bare = hostname.replace(/^\[|\]$/g, '');
  return isIP(bare) === 0 ? [] : [bare];
}

function parsedNetwork(network: string): [Address, number] {
  if (network.includes('/')) return ipaddr.parseCIDR(network);
  const address = ipaddr.parse(network);
  return [address, address.toByteArray().length * 8];
}

/** The IPv4 address that an IPv6 address leads to; else the address itself. */
function unwrapped(address: Address): Address {
  if (!(address instanceof ipaddr.IPv6)) return address;
  if (address.isIPv4MappedAddress()) return address.toIPv4Address();
  return address.match(NAT64) ? new ipaddr.IPv4(address.toByteArray().slice(-4)) : address;
}

const isPublic = (address: Address): boolean =>
  address.range() === 'unicast' &&
  (address instanceof ipaddr.IPv6 ? address.match(GLOBAL_IPV6) : address.toString() !== AZURE_PLATFORM);
