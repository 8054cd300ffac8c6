"""Recognises names of secrets: `api_key`, `dbPassword`; not `tokens`, `keyboard`."""

from functools import lru_cache
from typing import NamedTuple

from inspector.text.lazy_pattern import lazy_pattern

API_KEY, PRIVATE_KEY, PASSWORD, TOKEN = "api key", "private key", "password", "token"
SECRET, MNEMONIC, COOKIE, AUTHORIZATION = "secret", "mnemonic", "cookie", "authorization"


class SecretName(NamedTuple):
    """The kind of secret that a name denotes.

    If not `sure`, the name has ordinary uses and the value decides (`token` of a market).
    """

    kind: str
    sure: bool
    may_be_path: bool = False
    """`PWD` is a folder in a shell and a password in a database URL."""


_WORDS = lazy_pattern(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_QUALIFIERS = _set(
    "value hex base64 b64 raw text plain plaintext string prod production dev development staging "
    "test live main mainnet testnet sepolia default old new current backup secondary pem bytes "
    "header"
)
_PASSWORDS = _set("password passwd passphrase passcode passwort pwd")
_OWNERS_OF_PASS = _set(
    "db database sql mysql postgres pg redis mongo mongodb smtp mail email imap ftp ssh root admin "
    "user proxy auth basic login keystore rabbitmq"
)
_OWNERS_OF_KEY = _set(
    "api access account auth master encryption decryption subscription deploy service storage "
    "shared app application server webhook license session cipher aes hmac "
    "openai anthropic claude gemini google mistral groq cohere azure aws openrouter deepseek xai "
    "perplexity together fireworks replicate huggingface hf tavily serper exa brave firecrawl "
    "pinecone langchain langsmith helicone supabase stripe sendgrid twilio mailgun datadog sentry "
    "etherscan basescan arbiscan polygonscan alchemy infura quicknode ankr moralis helius birdeye "
    "coingecko coinmarketcap cmc dune covalent zapper oneinch 1inch tenderly rpc"
)
_OWNERS_OF_PRIVATE_KEY = _set(
    "private priv wallet signer signing deployer keeper relayer funder minter secret ssh"
)
_OWNERS_OF_TOKEN = _set(
    "access auth refresh bearer session id api bot lease github gh gitlab slack npm pypi hf "
    "huggingface security csrf xsrf personal service device secret user jwt oauth identity "
    "verification webhook cloudflare vault deploy ci discord telegram openai anthropic client "
    "invite reset login upload account app dkey authorization pat registry notion linear replicate"
)
_OWNERS_OF_TOKENS = _set("access auth refresh bearer")
_ORDINARY_TOKENS = _set(
    "page next continuation cursor sync fencing lp pool quote base input output reward eos bos pad "
    "stop sep unk mask cls max min total per in out from to source target native stable governance "
    "fee gas collateral debt prompt completion cached reasoning first last"
)
_PHRASES = _set("seed recovery backup secret wallet mnemonic")
_JOINED = {
    "apikey": API_KEY,
    "apikeys": API_KEY,
    "accesskey": API_KEY,
    "authkey": API_KEY,
    "masterkey": API_KEY,
    "accountkey": API_KEY,
    "encryptionkey": API_KEY,
    "dkey": API_KEY,
    "secretkey": PRIVATE_KEY,
    "privatekey": PRIVATE_KEY,
    "privatekeys": PRIVATE_KEY,
    "privkey": PRIVATE_KEY,
    "privkeys": PRIVATE_KEY,
    "signingkey": PRIVATE_KEY,
    "xprv": PRIVATE_KEY,
    "xpriv": PRIVATE_KEY,
    "wif": PRIVATE_KEY,
    "apisecret": SECRET,
    "appsecret": SECRET,
    "clientsecret": SECRET,
    "accesstoken": TOKEN,
    "authtoken": TOKEN,
    "refreshtoken": TOKEN,
    "bearertoken": TOKEN,
    "sessiontoken": TOKEN,
    "idtoken": TOKEN,
    "apitoken": TOKEN,
    "bottoken": TOKEN,
    "leasetoken": TOKEN,
    "passwords": PASSWORD,
    "mnemonic": MNEMONIC,
    "mnemonics": MNEMONIC,
    "seedphrase": MNEMONIC,
    "recoveryphrase": MNEMONIC,
}
_UNSURE = {
    "authorization": AUTHORIZATION,
    "auth": AUTHORIZATION,
    "bearer": TOKEN,
    "jwt": TOKEN,
    "pat": TOKEN,
    "credential": SECRET,
    "credentials": SECRET,
    "cookie": COOKIE,
    "seed": MNEMONIC,
}


@lru_cache(maxsize=4096)
def secret_name(name: str) -> SecretName | None:
    """Returns the kind of secret that a name denotes; None for an ordinary name.

    Case, `_`, `-`, `.` and camelCase do not matter; only the end of the name counts, so
    `password_policy` and `token_count` are ordinary.
    """
    words = [word.lower() for word in _WORDS.findall(name[-120:])]
    while len(words) > 1 and (words[-1] in _QUALIFIERS or words[-1].isdigit()):
        words.pop()
    if not words:
        return None
    last = words[-1]
    before = words[-2] if len(words) > 1 else ""
    if words[-2:] in (["pwd"], ["old", "pwd"]) or last == "oldpwd":
        return SecretName(PASSWORD, True, may_be_path=True)
    kind = _JOINED.get(last) or _kind_of_pair(before, last)
    if kind:
        return SecretName(kind, True)
    if last in ("hash", "digest", "salt") and before in _PASSWORDS:
        return SecretName(PASSWORD, False)
    if last == "token" and before not in _ORDINARY_TOKENS:
        return SecretName(TOKEN, False)
    return SecretName(_UNSURE[last], False) if last in _UNSURE else None


def _kind_of_pair(before: str, last: str) -> str | None:
    """Returns the kind that the last two words of a name denote with certainty."""
    if last in _PASSWORDS or last.endswith(("password", "passphrase")):
        return PASSWORD
    if last in ("pass", "pw"):
        return PASSWORD if before in _OWNERS_OF_PASS else None
    if last in ("key", "keys"):
        if before in _OWNERS_OF_PRIVATE_KEY:
            return PRIVATE_KEY
        return API_KEY if before in _OWNERS_OF_KEY else None
    if last == "token" and before in _OWNERS_OF_TOKEN:
        return TOKEN
    if last == "tokens" and before in _OWNERS_OF_TOKENS:
        return TOKEN
    if last in ("phrase", "words") and before in _PHRASES:
        return MNEMONIC
    return SECRET if last == "secret" and before not in ("is", "has", "no", "top") else None


_PLAIN = _set(
    "null none nil true false undefined yes no on off required optional string str int number bool "
    "boolean bytes any object text the a an is was are must should your my our its this that not "
    "missing invalid incorrect wrong empty expired changed reset and or for from in to with of set "
    "unset redacted hidden masked removed include omit same-origin secret password token key auth "
    "basic bearer secretstr optional[str] unknown n/a tbd todo"
)
_PLACEHOLDER = lazy_pattern(
    r"\$\{?[A-Z_][A-Z0-9_]*\}?|\$\{\{?[^{}]*\}{1,2}|<[^<>]*>|\{\{?[^{}]*\}\}?|%[sdv]|%\([a-z_]+\)s"
    r"|[*•.xX_-]{3,}|…|\[[A-Za-z]+\]"
)
_CODE = lazy_pattern(
    r"(?:os|process|self|this|env|args|config|settings|cfg|options|opts|params|ctx|import|req|"
    r"request|secrets|vault|data|input|local|var|props|state)\."
)
_PUBLIC = lazy_pattern(
    r"0x[0-9a-fA-F]{40}|0x[0-9a-fA-F]{64}|(?:sha|md|blake|keccak)[0-9a-z]*[:-].*"
)
_DIGIT, _LETTER = lazy_pattern(r"[0-9]"), lazy_pattern(r"[A-Za-z]")
_UPPER_INSIDE = lazy_pattern(r"[a-z0-9][A-Z]")
_DATE = lazy_pattern(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def is_placeholder(value: str) -> bool:
    """True for placeholders: `${API_KEY}`, `<token>`, `***`, `required`."""
    bare = value.strip().rstrip(".,;:!?")
    return bare.lower() in _PLAIN or (len(bare) < 200 and bool(_PLACEHOLDER.fullmatch(bare)))


def is_code(value: str) -> bool:
    """True if an unquoted value is an expression (`process.env.KEY`) or a name (`api_key`)."""
    if _CODE.match(value):
        return True
    return not _DIGIT.search(value) and secret_name(value) is not None


def looks_random(value: str, at_least: int = 16) -> bool:
    """True for letters and digits without spaces, except addresses, hashes, paths and dates."""
    if len(value) < at_least or not _DIGIT.search(value) or not _LETTER.search(value):
        return False
    if value[0] in "/.~" or "://" in value or any(map(str.isspace, value)):
        return False
    return not _PUBLIC.fullmatch(value) and not _DATE.match(value)


def looks_like_token(value: str) -> bool:
    """Weaker than `looks_random`, where a token is expected: anything but a plain word."""
    if is_placeholder(value) or _PUBLIC.fullmatch(value):
        return False
    return len(value) >= 20 or not value.isalpha() or bool(_UPPER_INSIDE.search(value))
