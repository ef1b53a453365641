from langchain_anthropic import ChatAnthropic
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_openai import ChatOpenAI
from words import MAX_TOKENS, MODEL, data_url


def openai_model(responses):
    def model(url, reasoning):
        more = {}
        if reasoning and responses:
            more["reasoning"] = {"effort": "high", "summary": "auto"}
        elif reasoning:
            more["reasoning_effort"] = "high"
        if responses:
            more["store"] = False
        return ChatOpenAI(
            model=MODEL,
            api_key="any",
            base_url=f"{url}/v1",
            max_completion_tokens=MAX_TOKENS,
            max_retries=2,
            stream_usage=True,
            use_responses_api=responses,
            **more,
        )

    return model


def anthropic_model(url, reasoning):
    more = {"thinking": {"type": "enabled", "budget_tokens": 2000}} if reasoning else {}
    return ChatAnthropic(model=MODEL, api_key="any", base_url=url, max_tokens=MAX_TOKENS, max_retries=2, **more)


def openai_schema(schema):
    return {
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "answer", "strict": True, "schema": schema},
        }
    }


def anthropic_schema(schema):
    return {"output_config": {"format": {"type": "json_schema", "schema": schema}}}


WIRES = {
    "chat": (openai_model(False), openai_schema),
    "responses": (openai_model(True), openai_schema),
    "messages": (anthropic_model, anthropic_schema),
}


def messages(turn):
    if "user" in turn:
        text = turn["user"]
        if "png" not in turn:
            return [HumanMessage(text)]
        image = {"type": "image_url", "image_url": {"url": data_url(turn["png"])}}
        return [HumanMessage([{"type": "text", "text": text}, image])]
    if "assistant" in turn:
        return [AIMessage(turn["assistant"])]
    if "native" in turn:
        return [turn["native"]]
    return [ToolMessage(one["text"], tool_call_id=one["id"], name=one["name"]) for one in turn["results"]]


def opened(url, of):
    make, options_of = WIRES[of]

    def ask(question, stream):
        model = make(url, question.get("reasoning", False))
        if "tools" in question:
            model = model.bind_tools([{"type": "function", "function": tool} for tool in question["tools"]])
        if "schema" in question:
            model = model.bind(**options_of(question["schema"]))
        given = [SystemMessage(question["system"])] if "system" in question else []
        given += [message for turn in question["turns"] for message in messages(turn)]
        if stream:
            first, *rest = model.stream(given)
            # One after the other they would be parsed again with each: 100 KB in small pieces take an hour.
            answer = first + rest
        else:
            answer = model.invoke(given)
        blocks = answer.content_blocks
        thoughts = [block.get("reasoning", "") for block in blocks if block["type"] == "reasoning"]
        usage = answer.usage_metadata or {}
        return {
            "text": "".join(block["text"] for block in blocks if block["type"] == "text"),
            "calls": [{"id": one["id"], "name": one["name"], "arguments": one["args"]} for one in answer.tool_calls],
            "reasoning": "".join(thoughts) if thoughts else None,
            "tokens": {"input": usage.get("input_tokens"), "output": usage.get("output_tokens")},
            "native": answer,
        }

    return ask
