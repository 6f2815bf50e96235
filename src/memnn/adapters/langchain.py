"""LangChain: a memory as a retriever, and as the history of chats. Needs `langchain-core`.

A chat is a session of the memory, each message a turn: what was said in one is found from all.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

try:
    from langchain_core.callbacks import CallbackManagerForRetrieverRun
    from langchain_core.chat_history import BaseChatMessageHistory
    from langchain_core.documents import Document
    from langchain_core.messages import (
        AIMessage,
        BaseMessage,
        HumanMessage,
        message_to_dict,
        messages_from_dict,
    )
    from langchain_core.retrievers import BaseRetriever
except ModuleNotFoundError as error:
    if (error.name or "").partition(".")[0] != "langchain_core":
        raise
    from memnn.errors import InputError

    raise InputError(
        "this needs the package langchain-core: pip install 'memnn[langchain]'"
    ) from None

from memnn.as_json import slot_json
from memnn.conversations.listing import listed
from memnn.network import Network
from memnn.types import Slot

KEY = "langchain"
"""Where a turn's metadata keep what a message is beside its text."""


class MemnnRetriever(BaseRetriever):  # type: ignore[misc, unused-ignore]
    """Finds what a network was told: `MemnnRetriever(network=net, k=5).invoke("Where …?")`."""

    network: Any
    """A `memnn.network.Network`."""
    k: int = 10
    filters: Mapping[str, Any] = MappingProxyType({})
    """As `net.search` takes them: `speaker`, `since`, `until`, `meta`, `as_of`, `history`."""

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun
    ) -> list[Document]:
        found = self.network.search(query, self.k, **self.filters)
        return [_document(each.slot, each.score) for each in found]


def _document(slot: Slot, score: float) -> Document:
    about: dict[str, Any] = {**slot_json(slot), "score": score}
    return Document(page_content=about.pop("text"), id=str(slot.id), metadata=about)


class MemnnChatHistory:
    """The messages of one chat, as LangChain's `BaseChatMessageHistory` has them."""

    def __init__(self, network: Network, session: str) -> None:
        self.network, self.session = network, session

    @property
    def messages(self) -> list[BaseMessage]:
        found: list[BaseMessage] = messages_from_dict([_message(s) for s in self._slots()])
        return found

    def add_messages(self, messages: Sequence[BaseMessage]) -> None:
        """All of them, or none."""
        if messages:
            self.network.tell([_turn(message, self.session) for message in messages])

    def add_message(self, message: BaseMessage) -> None:
        self.add_messages([message])

    def add_user_message(self, message: HumanMessage | str) -> None:
        self.add_message(HumanMessage(message) if isinstance(message, str) else message)

    def add_ai_message(self, message: AIMessage | str) -> None:
        self.add_message(AIMessage(message) if isinstance(message, str) else message)

    def clear(self) -> None:
        """Forget this chat."""
        self.network.memory.delete([slot.id for slot in self._slots()])

    async def aget_messages(self) -> list[BaseMessage]:
        return await asyncio.to_thread(lambda: self.messages)

    async def aadd_messages(self, messages: Sequence[BaseMessage]) -> None:
        await asyncio.to_thread(self.add_messages, messages)

    async def aclear(self) -> None:
        await asyncio.to_thread(self.clear)

    def _slots(self) -> list[Slot]:
        told = listed(self.network.memory)
        return [s for s in told if s.session == self.session and KEY in (s.meta or {})]


# Inheriting would warn: the class goes with LangChain 2, what it asks for does not.
BaseChatMessageHistory.register(MemnnChatHistory)


def _turn(message: BaseMessage, session: str) -> dict[str, Any]:
    """A message as a turn: its text to be found by, the rest to be given back."""
    about = message_to_dict(message)
    rest = {key: value for key, value in about["data"].items() if value and key != "type"}
    if rest.get("content") == message.text:
        del rest["content"]
    spoken = message.text or json.dumps(rest.get("tool_calls") or about["type"])
    meta = {KEY: {"type": about["type"], "data": rest}}
    return {
        "text": spoken,
        "speaker": message.name or message.type,
        "session": session,
        "meta": meta,
    }


def _message(slot: Slot) -> dict[str, Any]:
    kept = (slot.meta or {})[KEY]
    empty = "" if kept["data"].get("tool_calls") else slot.text
    return {"type": kept["type"], "data": {"content": empty, **kept["data"]}}
