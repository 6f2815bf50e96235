"""LangChain's retriever and chat history, with LangChain itself."""

from __future__ import annotations

import asyncio

import pytest

pytest.importorskip("langchain_core", reason="langchain-core is not installed: memnn[langchain]")

from langchain_core.chat_history import BaseChatMessageHistory
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.runnables import RunnableLambda

from memnn.adapters.langchain import MemnnChatHistory, MemnnRetriever
from memnn.memory import open_memory
from tests.adapters.simple import simple_network


def test_a_retriever_in_a_chain():
    net = simple_network()
    net.tell("I moved to Oslo.", speaker="Bob", said="2023-05-08T12:00:00Z", meta={"a": [1]})
    net.tell("I live in Rome.", speaker="Ann")
    found = MemnnRetriever(network=net, k=1).invoke("Where did Bob move?")
    assert [(d.page_content, d.id) for d in found] == [("I moved to Oslo.", "1")]
    assert found[0].metadata["speaker"] == "Bob"
    assert found[0].metadata["meta"] == {"a": [1]}
    chain = MemnnRetriever(network=net, filters={"speaker": "Ann"}) | RunnableLambda(len)
    assert chain.invoke("Who lives or moved where?") == 1
    assert asyncio.run(MemnnRetriever(network=net).ainvoke("Oslo"))[0].id == "1"


MESSAGES = [
    SystemMessage("Be kind."),
    HumanMessage("Where is the key? I lost it!", name="ann"),
    AIMessage("", tool_calls=[{"name": "search", "args": {"q": "key"}, "id": "c1"}]),
    ToolMessage("[]", tool_call_id="c1"),
    AIMessage("I don't know."),
    HumanMessage([{"type": "text", "text": "It is in the drawer."}]),
]


@pytest.mark.parametrize("where", [":memory:", "chat.db"])
def test_a_chat_history_gives_back_what_it_was_given(where, tmp_path):
    memory = open_memory(where if where == ":memory:" else str(tmp_path / where))
    net = simple_network().with_memory(memory)
    chat, other = MemnnChatHistory(net, "one"), MemnnChatHistory(net, "two")
    assert isinstance(chat, BaseChatMessageHistory)
    assert chat.messages == []
    chat.add_messages(MESSAGES)
    other.add_user_message("Hello.")
    other.add_ai_message("Hello!")
    assert chat.messages == MESSAGES
    assert [m.content for m in other.messages] == ["Hello.", "Hello!"]
    assert net.search("Where is the key?", speaker="ann")[0].session == "one"
    assert net.search("drawer")[0].text == "It is in the drawer."
    chat.clear()
    assert chat.messages == []
    assert len(asyncio.run(other.aget_messages())) == 2
    net.memory.close()
